//! The checks that the level `restricted` adds to those of `baseline`, or replaces them with, for example non-root users
//! and dropped capabilities. The texts are those of upstream's `policy/check_*.go`.

use std::collections::BTreeSet;

use super::baseline::{Bad, containers_that_add, is_safe_profile, must_not_add};
use super::checks::Violation;
use super::pod::{Pod, containers, joined, name, plural, setters};
use crate::kinds::fields::items;
use crate::value::Value;

pub(super) fn allow_privilege_escalation(pod: Pod<'_>) -> Option<Violation> {
    if is_exempt_windows(pod) {
        return None;
    }
    let bad = pod.containers_that(|container| container["securityContext"]["allowPrivilegeEscalation"] != false);
    let detail = || format!("{} must set securityContext.allowPrivilegeEscalation=false", containers(&bad));
    (!bad.is_empty()).then(|| Violation::new("allowPrivilegeEscalation != false", detail()))
}

/// Returns true for a Windows pod, which cannot set fields that only Linux has. The checks exempt it since 1.25.
fn is_exempt_windows(pod: Pod<'_>) -> bool {
    pod.minor >= 25 && pod.spec["os"]["name"] == "windows"
}

/// Returns true for a pod in a user namespace, whose root user is not the node's. The checks exempt it since 1.35.
fn has_own_root(pod: Pod<'_>) -> bool {
    pod.minor >= 35 && pod.has_user_namespace()
}

pub(super) fn restricted_capabilities(pod: Pod<'_>) -> Option<Violation> {
    if is_exempt_windows(pod) {
        return None;
    }
    let drops_all = |container: &Value| {
        items(&container["securityContext"]["capabilities"], "drop").iter().any(|capability| capability == "ALL")
    };
    let keeping = pod.containers_that(|container| !drops_all(container));
    let (adding, added) = containers_that_add(pod, &["NET_BIND_SERVICE"]);
    let must_drop = format!("{} must set securityContext.capabilities.drop=[\"ALL\"]", containers(&keeping));
    let details = (!keeping.is_empty()).then_some(must_drop).into_iter();
    let details: Vec<String> = details.chain((!adding.is_empty()).then(|| must_not_add(&adding, &added))).collect();
    (!details.is_empty()).then(|| Violation::new("unrestricted capabilities", details.join("; ")))
}

/// The volume sources that are allowed.
const VOLUMES: [&str; 9] = [
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "image",
    "persistentVolumeClaim",
    "projected",
    "secret",
];

/// All other volume sources, in the order in which a message looks for them.
const OTHER_VOLUMES: [&str; 21] = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
];

pub(super) fn restricted_volumes(pod: Pod<'_>) -> Option<Violation> {
    let source_among =
        |volume: &Value, sources: &[&'static str]| sources.iter().copied().find(|source| volume[*source].is_object());
    let bad: Vec<&Value> =
        items(pod.spec, "volumes").iter().filter(|volume| source_among(volume, &VOLUMES).is_none()).collect();
    let types: BTreeSet<&str> =
        bad.iter().map(|volume| source_among(volume, &OTHER_VOLUMES).unwrap_or("unknown")).collect();
    let noun = plural(types.len(), "restricted volume type", "restricted volume types");
    let (volumes, verb) = (plural(bad.len(), "volume", "volumes"), plural(bad.len(), "uses", "use"));
    let names = joined(bad.iter().map(|volume| name(volume)));
    let detail = || format!("{volumes} {names} {verb} {noun} {}", joined(&types));
    (!bad.is_empty()).then(|| Violation::new("restricted volume types", detail()))
}

pub(super) fn run_as_non_root(pod: Pod<'_>) -> Option<Violation> {
    const REASON: &str = "runAsNonRoot != true";
    if has_own_root(pod) {
        return None;
    }
    fn choice(of: &Value) -> Option<bool> {
        of["securityContext"]["runAsNonRoot"].as_bool()
    }
    let refusing = pod.containers_that(|container| choice(container) == Some(false));
    if let Some(setters) = setters(choice(pod.spec) == Some(false), &refusing) {
        let detail = format!("{setters} must not set securityContext.runAsNonRoot=false");
        return Some(Violation::new(REASON, detail));
    }
    let silent = pod.containers_that(|container| choice(container).is_none());
    let detail = || format!("pod or {} must set securityContext.runAsNonRoot=true", containers(&silent));
    (choice(pod.spec) != Some(true) && !silent.is_empty()).then(|| Violation::new(REASON, detail()))
}

pub(super) fn run_as_user(pod: Pod<'_>) -> Option<Violation> {
    if has_own_root(pod) {
        return None;
    }
    let is_root = |of: &Value| of["securityContext"]["runAsUser"] == 0;
    let setters = setters(is_root(pod.spec), &pod.containers_that(is_root))?;
    Some(Violation::new("runAsUser=0", format!("{setters} must not set runAsUser=0")))
}

pub(super) fn restricted_seccomp_profile(pod: Pod<'_>) -> Option<Violation> {
    const PROFILE: &str = "seccompProfile"; // the field, and upstream's reason for a refusal
    const FIELD: &str = "securityContext.seccompProfile.type";
    if is_exempt_windows(pod) {
        return None;
    }
    let bad = Bad::profiles(pod, PROFILE);
    if let Some(setters) = bad.setters() {
        return Some(Violation::new(PROFILE, format!("{setters} must not set {FIELD} to {}", joined(&bad.values))));
    }
    let profile = |of: &Value| of["securityContext"][PROFILE].is_object();
    let silent = pod.containers_that(|container| !profile(container));
    let detail = || format!(r#"pod or {} must set {FIELD} to "RuntimeDefault" or "Localhost""#, containers(&silent));
    let is_set = is_safe_profile(&pod.spec["securityContext"][PROFILE]);
    (!is_set && !silent.is_empty()).then(|| Violation::new(PROFILE, detail()))
}
