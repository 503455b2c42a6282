//! Reads fields of a pod in the form of a JSON value, for the scheduler and the kubelet, which know pods by their uid.

use super::items::items;
use kube_machinery::value::{SmolStr, Value};

pub(crate) fn uid(pod: &Value) -> &str {
    pod["metadata"]["uid"].as_str().unwrap_or_default()
}

/// Returns true if the pod is the controller of an object, such as a claim that was made for it.
pub(crate) fn is_controlled_by(object: &Value, pod: &Value) -> bool {
    let mut owners = items(&object["metadata"]["ownerReferences"]).iter();
    owners.any(|owner| owner["controller"] == true && owner["uid"] == pod["metadata"]["uid"])
}

/// Returns a key by which pods are sorted from the oldest to the youngest. Upstream: `PodsByCreationTime`.
pub(crate) fn age(pod: &Value) -> (SmolStr, u64) {
    let metadata = &pod["metadata"];
    let version = metadata["resourceVersion"].as_str().and_then(|version| version.parse().ok());
    (metadata["creationTimestamp"].as_str().unwrap_or_default().into(), version.unwrap_or_default())
}
