//! The deletion of a definition: it stays until its objects are gone.

use crate::conventions::edit::object;
use crate::kinds::custom_resource::{CLEANUP_FINALIZER, set_condition};
use crate::value::{Value, json};

/// Marks a definition as terminating. Upstream: `REST.Delete` of `pkg/registry/customresourcedefinition/etcd.go`.
pub fn mark_terminating(definition: &mut Value, now: &str) {
    definition["metadata"]["deletionTimestamp"] = json!(now);
    let finalizers = object(&mut definition["metadata"]).entry("finalizers").or_insert_with(|| json!([]));
    if let Value::Array(names) = finalizers
        && !names.iter().any(|name| name == CLEANUP_FINALIZER)
    {
        names.push(json!(CLEANUP_FINALIZER));
    }
    let message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    set_condition(definition, "Terminating", true, "InstanceDeletionPending", message, now);
}
