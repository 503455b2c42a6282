//! Nodes.

use serde_json::Value;

use crate::machinery::fill::{empty, missing};

/// Sets what a node can give to pods: all that it has.
pub(super) fn set_defaults(node: &mut Value) {
    missing(node, "spec", empty());
    missing(node, "status", empty());
    if let Some(capacity) = node["status"].get("capacity").cloned() {
        missing(&mut node["status"], "allocatable", capacity);
    }
}
