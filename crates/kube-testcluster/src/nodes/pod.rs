//! A pod as the scheduler and the kubelet decode it.

use kube_core::Object;
use serde_json::{Value, json};

/// Spec and status are separate values, which are decoded directly from the text. A `DynamicObject` has one value for
/// both and would need two more steps.
pub(crate) type Pod = Object<Value, Value>;

/// The uid of a pod as one value.
pub(crate) fn uid(pod: &Value) -> &str {
    pod["metadata"]["uid"].as_str().unwrap_or_default()
}

/// A pod as one value, with the metadata that the kubelet needs. Spec and status are moved: a copy of each, for each write of each
/// pod, was a part of the kubelet's work.
pub(crate) fn into_value(pod: Pod) -> Value {
    let metadata = pod.metadata;
    let mut value = json!({"metadata": {
        "name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid, "labels": metadata.labels,
        "annotations": metadata.annotations, "resourceVersion": metadata.resource_version,
        "deletionTimestamp": metadata.deletion_timestamp,
    }});
    value["spec"] = pod.spec;
    value["status"] = pod.status.unwrap_or_default();
    value
}
