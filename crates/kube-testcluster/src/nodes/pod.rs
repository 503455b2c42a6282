//! A pod as the scheduler and the kubelet decode it.

use kube_core::Object;
use serde_json::{Value, json};

/// Spec and status are separate values, which are decoded directly from the text. A `DynamicObject` has one value for
/// both and would need two more steps.
pub(crate) type Pod = Object<Value, Value>;

/// The status, or null.
pub(crate) fn status(pod: &Pod) -> &Value {
    pod.status.as_ref().unwrap_or(&Value::Null)
}

/// A pod as one value, with the metadata that the kubelet needs.
pub(crate) fn to_value(pod: &Pod) -> Value {
    let metadata = &pod.metadata;
    json!({
        "metadata": {
            "name": metadata.name, "namespace": metadata.namespace, "uid": metadata.uid, "labels": metadata.labels,
            "annotations": metadata.annotations, "resourceVersion": metadata.resource_version,
        },
        "spec": pod.spec,
        "status": pod.status,
    })
}
