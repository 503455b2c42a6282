//! Warnings about the volumes of a pod: those of drivers that Kubernetes has dropped, and files at overlapping paths.
//! Upstream: `pkg/api/pod/warnings.go`.

use super::warnings::fractional;
use crate::conventions::cause::At;
use crate::conventions::quote::quote;
use crate::kinds::fields::{each, items, text};
use crate::value::Value;

/// The sources of volumes that no longer work, each with upstream's message.
const DROPPED: [(&str, &str); 7] = [
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
];
const DROPPED_LATER: [&str; 2] = ["cephfs", "rbd"];

/// `at` is the path of the spec.
pub(super) fn volumes(spec: &Value, at: At<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (path, volume) in each(spec, "volumes", at) {
        for (source, message) in DROPPED.iter().filter(|(source, _)| !volume[*source].is_null()) {
            let source = if *source == "storageos" { "storageOS" } else { source }; // upstream's path
            warnings.push(format!("{path}.{source}: {message}"));
        }
        let claim = &volume["ephemeral"]["volumeClaimTemplate"];
        warnings.extend(claim_spec(&claim["spec"], &format_args!("{path}.ephemeral.volumeClaimTemplate.spec")));
        for source in DROPPED_LATER.iter().filter(|source| !volume[**source].is_null()) {
            warnings.push(format!("{path}.{source}: deprecated in v1.28, non-functional in v1.31+"));
        }
    }
    warnings.extend(items(spec, "volumes").iter().flat_map(overlapping_paths));
    warnings
}

/// Warns of amounts of storage that are no whole number of bytes. Upstream: `GetWarningsForPersistentVolumeClaimSpec`.
pub(in crate::kinds) fn claim_spec(spec: &Value, at: At<'_>) -> Vec<String> {
    let warn = |field: &str| fractional(&spec["resources"][field], "storage", &format_args!("{at}.resources.{field}"));
    ["requests", "limits"].into_iter().filter_map(warn).collect()
}

/// A path in a volume, and the source of the file there; empty if the volume has only one source.
#[derive(Clone, PartialEq, Eq)]
struct VolumePath {
    path: String,
    of: String,
}

impl VolumePath {
    fn new(path: &str, of: &str) -> Self {
        Self { path: path.trim_end_matches('/').to_owned(), of: of.to_owned() }
    }

    fn shown(&self) -> String {
        let path = quote(&self.path);
        if self.of.is_empty() { path } else { format!("{path} ({})", self.of) }
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (one, two) = (format!("{}/", self.path), format!("{}/", other.path));
        !self.path.is_empty() && !other.path.is_empty() && (one.starts_with(&two) || two.starts_with(&one))
    }
}

/// Upstream: `warningsForOverlappingVirtualPaths`.
fn overlapping_paths(volume: &Value) -> Vec<String> {
    let name = quote(text(volume, "name"));
    let mut warnings = Vec::new();
    for (field, kind, named) in
        [("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"), ("downwardAPI", "DownwardAPI", "")]
    {
        let of = &volume[field];
        let shown = if named.is_empty() { kind.to_owned() } else { format!("{kind} {}", quote(text(of, named))) };
        let overlaps = overlaps(paths_of(of, "").into_iter());
        warnings.extend(overlaps.into_iter().map(|body| format!("volume {name} ({shown}): overlapping paths: {body}")));
    }
    let sources = items(&volume["projected"], "sources");
    for _ in sources.iter().filter(|source| source.as_object().is_none_or(|source| source.is_empty())) {
        warnings.push(format!("volume {name} (Projected) has no sources provided"));
    }
    let overlaps = overlaps(sources.iter().flat_map(projected_paths));
    warnings.extend(overlaps.into_iter().map(|body| format!("volume {name} (Projected): overlapping paths: {body}")));
    warnings
}

fn paths_of(source: &Value, of: &str) -> Vec<VolumePath> {
    items(source, "items").iter().map(|item| VolumePath::new(text(item, "path"), of)).collect()
}

fn projected_paths(source: &Value) -> Vec<VolumePath> {
    let named = |kind: &str, of: &Value| format!("{kind} {}", quote(text(of, "name")));
    let (map, secret) = (&source["configMap"], &source["secret"]);
    let (token, bundle, certificate) =
        (&source["serviceAccountToken"], &source["clusterTrustBundle"], &source["podCertificate"]);
    if !map["items"].is_null() {
        paths_of(map, &named("ConfigMap", map))
    } else if !secret["items"].is_null() {
        paths_of(secret, &named("Secret", secret))
    } else if !source["downwardAPI"]["items"].is_null() {
        paths_of(&source["downwardAPI"], "DownwardAPI")
    } else if !token.is_null() {
        vec![VolumePath::new(text(token, "path"), "ServiceAccountToken")]
    } else if !bundle.is_null() {
        let name = bundle["name"].as_str().unwrap_or_else(|| text(bundle, "signerName"));
        vec![VolumePath::new(text(bundle, "path"), &format!("ClusterTrustBundle {}", quote(name)))]
    } else {
        let parts =
            [("certificateChainPath", "chain"), ("keyPath", "key"), ("credentialBundlePath", "credential bundle")];
        let set = parts.into_iter().filter(|(field, _)| !text(certificate, field).is_empty());
        set.map(|(field, what)| VolumePath::new(text(certificate, field), &format!("PodCertificate {what}"))).collect()
    }
}

/// The largest number of paths that are compared. Upstream has no limit, but compares each with each.
const MOST: usize = 1000;

/// Describes the pairs of paths of which one contains the other.
fn overlaps(paths: impl Iterator<Item = VolumePath>) -> Vec<String> {
    let (mut before, mut overlaps): (Vec<VolumePath>, _) = (Vec::new(), Vec::new());
    for path in paths.take(MOST) {
        let others = before.iter().filter(|other| path.overlaps(other));
        overlaps.extend(others.map(|other| format!("{} with {}", path.shown(), other.shown())).take(MOST));
        before.push(path);
    }
    overlaps.truncate(MOST);
    overlaps
}
