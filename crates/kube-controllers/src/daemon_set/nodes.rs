//! Decides which nodes run the pods of a DaemonSet, by node name, node selector, node affinity and taints; and ties
//! each new pod to its node. Each sync decides about all nodes again. Upstream: `nodeShouldRunDaemonPod`,
//! `pkg/controller/daemon/util`.

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use crate::nodes::constraints::{selects, tolerates_all};
use crate::shared::object::name;
use kube_machinery::value;

/// The decision whether a node should have a pod of the DaemonSet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The node must have a pod.
    Wanted,
    /// A pod that exists stays, but no new pod is created: the node has a `NoSchedule` taint that the pod does not
    /// tolerate.
    Kept,
    /// The node must have no pod.
    Unwanted,
}

/// Decides about one node. `pod_spec` has the tolerations of daemon pods.
pub(super) fn decide(pod_spec: &value::Value, node: &DynamicObject) -> Decision {
    let (node_name, taints) = (name(&node.metadata), &node.data["spec"]["taints"].clone().into());
    let named = pod_spec["nodeName"].as_str().is_none_or(|wanted| wanted.is_empty() || wanted == node_name);
    if !named || !selects(pod_spec, node_name, &value::json!(node.metadata.labels)) {
        return Decision::Unwanted;
    }
    if tolerates_all(pod_spec, taints, &["NoSchedule", "NoExecute"]) {
        Decision::Wanted
    } else if tolerates_all(pod_spec, taints, &["NoExecute"]) {
        Decision::Kept
    } else {
        Decision::Unwanted
    }
}

/// Returns a DaemonSet's pod spec with the tolerations that all daemon pods get. Upstream:
/// `AddOrUpdateDaemonPodTolerations`.
pub(super) fn with_daemon_tolerations(spec: &Value) -> Value {
    const TAINTS: [(&str, &str); 6] = [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ];
    let on_host = spec["hostNetwork"] == true;
    let mut tolerations = spec["tolerations"].as_array().cloned().unwrap_or_default();
    for (taint, effect) in TAINTS.into_iter().chain(on_host.then_some(("network-unavailable", "NoSchedule"))) {
        let toleration = json!({"key": format!("node.kubernetes.io/{taint}"), "operator": "Exists", "effect": effect});
        let same = |one: &&mut Value| ["key", "operator", "effect"].iter().all(|field| one[field] == toleration[field]);
        match tolerations.iter_mut().find(same) {
            Some(existing) => *existing = toleration,
            None => tolerations.push(toleration),
        }
    }
    let mut spec = spec.clone();
    spec["tolerations"] = json!(tolerations);
    spec
}

/// Ties a pod spec to one node by a node affinity, so the scheduler can only choose this node. Upstream:
/// `ReplaceDaemonSetPodNodeNameNodeAffinity`.
pub(super) fn set_node_affinity(spec: &mut Value, node: &str) {
    let field = json!([{"key": "metadata.name", "operator": "In", "values": [node]}]);
    spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] =
        json!({"nodeSelectorTerms": [{"matchFields": field}]});
}

/// Returns the node that a pod is on or was created for. Upstream: `GetTargetNodeName`.
pub(super) fn target_node(pod: &Pod) -> Option<&str> {
    let spec = pod.spec.as_ref()?;
    if let Some(node) = spec.node_name.as_deref().filter(|name| !name.is_empty()) {
        return Some(node);
    }
    let affinity = spec.affinity.as_ref()?.node_affinity.as_ref()?;
    let required = affinity.required_during_scheduling_ignored_during_execution.as_ref()?;
    let fields = required.node_selector_terms.iter().filter_map(|term| term.match_fields.as_deref());
    let field = fields.flatten().find(|field| field.key == "metadata.name" && field.operator == "In")?;
    field.values.as_deref()?.first().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taints_keep_new_pods_away_and_some_end_old_ones() {
        let node = |taints: Value| -> DynamicObject {
            serde_json::from_value(json!({
                "apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {"disk": "ssd"}},
                "spec": {"taints": taints},
            }))
            .unwrap()
        };
        let of = |spec: Value, taints: Value| decide(&with_daemon_tolerations(&spec).into(), &node(taints));
        let taint = |key: &str, effect: &str| json!([{"key": key, "effect": effect}]);
        assert_eq!(of(json!({}), json!([])), Decision::Wanted);
        assert_eq!(of(json!({}), taint("node.kubernetes.io/unschedulable", "NoSchedule")), Decision::Wanted);
        assert_eq!(of(json!({}), taint("node.kubernetes.io/not-ready", "NoExecute")), Decision::Wanted);
        assert_eq!(of(json!({}), taint("mine", "NoSchedule")), Decision::Kept);
        assert_eq!(of(json!({}), taint("mine", "NoExecute")), Decision::Unwanted);
        assert_eq!(of(json!({}), taint("mine", "PreferNoSchedule")), Decision::Wanted);
        assert_eq!(of(json!({"nodeSelector": {"disk": "ssd"}}), json!([])), Decision::Wanted);
        assert_eq!(of(json!({"nodeSelector": {"disk": "tape"}}), json!([])), Decision::Unwanted);
        assert_eq!(of(json!({"nodeName": "b"}), json!([])), Decision::Unwanted);
    }
}
