//! Warnings about the finalizers of a custom resource. A finalizer whose name has no domain could collide with that of
//! another controller, so a warning recommends a name such as `example.com/name`; the write succeeds nevertheless.
//! Upstream: `validateKubeFinalizerName` of `pkg/registry/customresource/validator.go`.

use std::collections::BTreeSet;

use crate::conventions::quote::quote;
use crate::kinds::names::label_key;
use crate::value::Value;

/// The finalizers of Kubernetes itself, which need no domain.
const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// Returns the warnings about finalizers that the old object does not have.
pub(super) fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let before = old.map(finalizers).unwrap_or_default();
    finalizers(new).difference(&before).flat_map(|name| warnings_about(name)).collect()
}

fn finalizers(object: &Value) -> BTreeSet<&str> {
    object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the warnings about a name: it should be a valid label key, and have a domain.
fn warnings_about(name: &str) -> Vec<String> {
    let mut messages = label_key(name);
    if !name.contains('/') && !STANDARD.contains(&name) {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        messages.push(format!(
            "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other finalizer writers"
        ));
    }
    messages.iter().map(|message| format!("metadata.finalizers: {}: {message}", quote(name))).collect()
}
