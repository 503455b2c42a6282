//! Validates `downwardAPI` volumes, whose files hold fields of the pod, and `projected` volumes, which combine several
//! sources in one directory. No two sources may write the same file. Upstream: `validateDownwardAPIVolumeSource`,
//! `validateProjectionSources` in `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use super::certificates::{pod_certificate, trust_bundle};
use super::field_references::{self, ReferenceHolder};
use super::paths::local;
use super::volume_sources::{key_to_path, mode};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, items, required, text};
use crate::value::Value;

/// The fields of a pod that a file can refer to.
const FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

pub(super) fn downward_api(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(mode(source, "defaultMode", at));
    causes.extend(items(source, "items").iter().flat_map(|file| downward_file(file, at)));
    causes
}

/// Validates a file. As upstream, the causes have the path of the volume source, not of the file. Upstream:
/// `validateDownwardAPIVolumeFile`.
fn downward_file(file: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(file, "path", at));
    causes.extend(local(text(file, "path"), &format_args!("{at}.path")));
    let (field, resource) = (&file["fieldRef"], &file["resourceFieldRef"]);
    if field.is_object() {
        causes.extend(field_references::field(field, &FIELDS, &format_args!("{at}.fieldRef")));
        if resource.is_object() {
            let why = "fieldRef and resourceFieldRef can not be specified simultaneously";
            causes.push(Cause::invalid(at, "resource", why));
        }
    } else if resource.is_object() {
        causes.extend(field_references::resource(
            resource,
            ReferenceHolder::Volume,
            &format_args!("{at}.resourceFieldRef"),
        ));
    } else {
        causes.push(Cause::required(at, "one of fieldRef and resourceFieldRef is required"));
    }
    causes.extend(mode(file, "mode", at));
    causes
}

pub(super) fn projected(volume: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(mode(volume, "defaultMode", at));
    let mut taken = Paths { taken: HashSet::new(), at };
    for (path, source) in each(volume, "sources", at) {
        let mut count = 0;
        for (kind, check) in SOURCES {
            if source[kind].is_object() {
                count += 1;
                causes.extend(check(&source[kind], &format_args!("{path}.{kind}"), &mut taken));
            }
        }
        if count > 1 {
            causes.push(Cause::forbidden(path, "may not specify more than 1 volume type per source"));
        }
    }
    causes
}

/// Validates a source, and takes the source's file paths.
type Check = for<'a> fn(&'a Value, At<'_>, &mut Paths<'a>) -> Causes;

/// The types of sources in the order in which upstream checks them.
const SOURCES: [(&str, Check); 6] = [
    ("secret", keys),
    ("configMap", keys),
    ("downwardAPI", downward),
    ("serviceAccountToken", token),
    ("clusterTrustBundle", trust_bundle),
    ("podCertificate", pod_certificate),
];

/// The file paths that the sources of a projected volume have taken so far.
pub(super) struct Paths<'a> {
    taken: HashSet<&'a str>,
    /// The field path of the volume.
    pub(super) at: At<'a>,
}

impl<'a> Paths<'a> {
    /// Takes a path. If it is taken already, returns a cause that shows `value`.
    pub(super) fn take(&mut self, path: &'a str, value: &str) -> Option<Cause> {
        let is_new = self.taken.insert(path);
        (!is_new).then(|| Cause::invalid(self.at, value, "conflicting duplicate paths"))
    }
}

/// Validates a `secret` or `configMap` source.
fn keys<'a>(source: &'a Value, at: At<'_>, taken: &mut Paths<'a>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "name", at));
    for (path, item) in each(source, "items", at) {
        causes.extend(key_to_path(item, &path));
        let file = text(item, "path");
        if !file.is_empty() {
            causes.extend(taken.take(file, text(source, "name")));
        }
    }
    causes
}

/// Validates a `downwardAPI` source.
fn downward<'a>(source: &'a Value, at: At<'_>, taken: &mut Paths<'a>) -> Causes {
    let mut causes = Causes::new();
    for file in items(source, "items") {
        causes.extend(downward_file(file, at));
        let path = text(file, "path");
        if !path.is_empty() {
            causes.extend(taken.take(path, path));
        }
    }
    causes
}

/// Validates a token source. As upstream, causes about the file path have the field path of the volume, and the file
/// path is not compared with those of other sources.
fn token<'a>(source: &'a Value, at: At<'_>, taken: &mut Paths<'a>) -> Causes {
    let mut causes = Causes::new();
    let path = format_args!("{at}.expirationSeconds");
    let seconds = &source["expirationSeconds"];
    match seconds.as_i64() {
        None => causes.push(Cause::required(path, "")),
        Some(number) if number < 600 => {
            causes.push(Cause::invalid_json(path, seconds, "may not specify a duration less than 10 minutes"));
        }
        Some(number) if number > 1 << 32 => {
            causes.push(Cause::invalid_json(path, seconds, "may not specify a duration larger than 2^32 seconds"));
        }
        Some(_) => {}
    }
    causes.extend(required(source, "path", taken.at));
    causes.extend(local(text(source, "path"), &format_args!("{}.path", taken.at)));
    causes
}
