//! Namespaces.

use serde_json::{Value, json};

use crate::machinery::fill::{empty, missing, object};

/// The finalizer that keeps a namespace until it is empty. It is in the spec, not in the metadata.
pub(crate) const FINALIZER: &str = "kubernetes";

/// Sets the label with the namespace's name, and the phase.
pub(super) fn set_defaults(namespace: &mut Value) {
    if let Some(name) = namespace.pointer("/metadata/name").cloned() {
        let metadata = object(&mut namespace["metadata"]);
        object(metadata.entry("labels").or_insert_with(empty)).insert("kubernetes.io/metadata.name".into(), name);
    }
    missing(namespace, "spec", empty());
    missing(namespace, "status", empty());
    missing(&mut namespace["status"], "phase", json!("Active"));
}
