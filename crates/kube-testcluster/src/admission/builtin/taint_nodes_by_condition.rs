//! The plugin `TaintNodesByCondition`: no pod comes to a new node before its kubelet reports that the node is ready.

use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{NODES, Resource};
use kube_machinery::value::{Value, json};

const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Taints a new node.
pub(crate) fn taint_nodes_by_condition(resource: &Resource, value: &mut Value) {
    if resource != NODES {
        return;
    }
    let taints = object(&mut value["spec"]).entry("taints").or_insert_with(|| json!([]));
    if let Value::Array(taints) = taints
        && !taints.iter().any(|taint| taint["key"] == NOT_READY && taint["effect"] == "NoSchedule")
    {
        taints.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
    }
}
