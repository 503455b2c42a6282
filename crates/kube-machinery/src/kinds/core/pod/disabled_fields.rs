//! Removes the fields of pods and templates of pods that depend on features which are off by default. Upstream:
//! `dropDisabledFields` and `dropDisabledPodStatusFields` in `pkg/api/pod/util.go`.
//!
//! Upstream keeps a field that the old object has. Here no object has them, because they are never stored.

use super::containers::visit;
use crate::conventions::edit::{list, object, object_field};
use crate::kinds::fields::items;
use crate::kinds::resource::Change;
use crate::value::Value;

/// The annotations of pods from before init containers were a field. Upstream: `initContainerAnnotations`.
const INIT_CONTAINERS: [&str; 4] = [
    "pod.beta.kubernetes.io/init-containers",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-container-statuses",
];
/// Parts of the spec.
const PARTS: [&str; 2] = ["evictionResponders", "schedulingGroup"];
const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];
const HOOKS: [&str; 2] = ["postStart", "preStop"];
/// The kinds of volumes whose files can have an owner, and the sources of a projected volume that can.
const FILES: [&str; 4] = ["secret", "configMap", "downwardAPI", "projected"];
const SOURCES: [&str; 6] =
    ["secret", "downwardAPI", "configMap", "serviceAccountToken", "clusterTrustBundle", "podCertificate"];

/// Removes the fields from a pod, or from a template of pods.
pub(in crate::kinds) fn drop_disabled_fields(pod: &mut Value) {
    if has_old_annotations(pod) {
        let annotations = object(&mut pod["metadata"]["annotations"]);
        INIT_CONTAINERS.iter().for_each(|key| _ = annotations.remove(key));
    }
    // Parts without such fields are not changed, so that they go on sharing memory with their copies.
    for field in PARTS {
        if !pod["spec"][field].is_null() {
            object(&mut pod["spec"]).remove(field);
        }
    }
    if has_disabled_in_containers(pod) {
        for field in CONTAINERS {
            list(&mut pod["spec"], field).for_each(drop_from_container);
        }
    }
    if items(&pod["spec"], "volumes").iter().any(is_owned) {
        list(&mut pod["spec"], "volumes").for_each(drop_from_volume);
    }
}

/// Removes the fields from the template of pods at `spec.template`. It is the `prepare` of kinds that need nothing else.
pub(in crate::kinds) fn prepare_template(new: &mut Value, change: &Change<'_>) {
    if change.subresource.is_none() && has_disabled_fields(&new["spec"]["template"]) {
        drop_disabled_fields(&mut new["spec"]["template"]);
    }
}

pub(in crate::kinds) fn has_disabled_fields(pod: &Value) -> bool {
    has_old_annotations(pod)
        || PARTS.iter().any(|field| !pod["spec"][*field].is_null())
        || has_disabled_in_containers(pod)
        || items(&pod["spec"], "volumes").iter().any(is_owned)
}

fn has_old_annotations(pod: &Value) -> bool {
    let annotations = pod["metadata"]["annotations"].as_object();
    annotations.is_some_and(|all| INIT_CONTAINERS.iter().any(|key| all.contains_key(key)))
}

fn has_disabled_in_containers(pod: &Value) -> bool {
    visit(&pod["spec"], &"").any(|(_, container)| has_disabled(container))
}

/// Removes the fields from the status of a pod.
pub(super) fn drop_from_status(pod: &mut Value) {
    for field in ["nodeAllocatableResourceClaimStatuses", "volumeHealth"] {
        if !pod["status"][field].is_null() {
            object(&mut pod["status"]).remove(field);
        }
    }
}

fn has_disabled(container: &Value) -> bool {
    let lifecycle = &container["lifecycle"];
    PROBES.iter().any(|probe| {
        !container[*probe]["grpc"]["mode"].is_null() || !container[*probe]["httpGet"]["protocol"].is_null()
    }) || HOOKS.iter().any(|hook| !lifecycle[*hook]["httpGet"]["protocol"].is_null())
        || !lifecycle["stopSignal"].is_null()
        || items(container, "volumeMounts").iter().any(|mount| !mount["bindMountOptions"].is_null())
}

fn drop_from_container(container: &mut Value) {
    for probe in PROBES {
        remove(container, &[probe, "grpc"], "mode");
        remove(container, &[probe, "httpGet"], "protocol");
    }
    for hook in HOOKS {
        remove(container, &["lifecycle", hook, "httpGet"], "protocol");
    }
    if !container["lifecycle"]["stopSignal"].is_null() {
        remove(container, &["lifecycle"], "stopSignal");
        if container["lifecycle"].as_object().is_some_and(|lifecycle| lifecycle.is_empty()) {
            object(container).remove("lifecycle");
        }
    }
    list(container, "volumeMounts").for_each(|mount| _ = object(mount).remove("bindMountOptions"));
}

/// Returns true if a volume has a mode of its own, or owners of its files.
fn is_owned(volume: &Value) -> bool {
    let has_owner = |files: &Value| {
        ["user", "defaultUser"].iter().any(|field| !files[*field].is_null())
            || items(files, "items").iter().any(|item| !item["user"].is_null())
    };
    let sources = items(&volume["projected"], "sources");
    !volume["emptyDir"]["mode"].is_null()
        || FILES.iter().any(|kind| has_owner(&volume[*kind]))
        || sources.iter().any(|source| SOURCES.iter().any(|kind| has_owner(&source[*kind])))
}

fn drop_from_volume(volume: &mut Value) {
    remove(volume, &["emptyDir"], "mode");
    for kind in FILES {
        remove(volume, &[kind], "defaultUser");
        let Some(files) = object_field(volume, kind) else { continue };
        list(files, "items").for_each(|item| _ = object(item).remove("user"));
        for source in list(files, "sources") {
            for kind in SOURCES {
                remove(source, &[kind], "user");
                if let Some(files) = object_field(source, kind) {
                    list(files, "items").for_each(|item| _ = object(item).remove("user"));
                }
            }
        }
    }
}

/// Removes a field from an object below another one, if there is such an object.
fn remove(outer: &mut Value, path: &[&str], field: &str) {
    let inner = path.iter().try_fold(outer, |value, name| object_field(value, name));
    if let Some(inner) = inner {
        object(inner).remove(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn fields_of_features_that_are_off_are_removed() {
        let mut pod = json!({"metadata": {"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}}, "spec": {
            "evictionResponders": [{}],
            "containers": [{
                "name": "a", "lifecycle": {"stopSignal": "SIGTERM"},
                "livenessProbe": {"grpc": {"port": 1, "mode": "TLS"}},
                "volumeMounts": [{"name": "v", "bindMountOptions": ["x"]}],
            }],
            "volumes": [
                {"name": "v", "emptyDir": {"mode": 1}},
                {"name": "w", "projected": {"defaultUser": 1, "sources": [{"secret": {"items": [{"key": "k", "user": 2}]}}]}},
            ],
        }});
        drop_disabled_fields(&mut pod);
        let left = json!({"metadata": {"annotations": {}}, "spec": {
            "containers": [{"name": "a", "livenessProbe": {"grpc": {"port": 1}}, "volumeMounts": [{"name": "v"}]}],
            "volumes": [
                {"name": "v", "emptyDir": {}},
                {"name": "w", "projected": {"sources": [{"secret": {"items": [{"key": "k"}]}}]}},
            ],
        }});
        assert_eq!(pod, left);
    }
}
