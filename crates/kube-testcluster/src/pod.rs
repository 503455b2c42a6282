//! A pod as scheduler and kubelet read it.

use kube_core::Object;
use serde_json::{Value, json};

/// Spec and status are values of their own: they are read straight from the text, where a `DynamicObject`, which has one value
/// for both, takes two more steps.
pub(crate) type Pod = Object<Value, Value>;

/// Null, if it has none.
pub(crate) fn status(pod: &Pod) -> &Value {
    pod.status.as_ref().unwrap_or(&Value::Null)
}

/// A pod as one value, with the metadata that matter.
pub(crate) fn whole(pod: &Pod) -> Value {
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
