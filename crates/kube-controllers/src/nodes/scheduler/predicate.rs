//! The kubelet's decision whether a pod may run on the node that the pod is bound to. It repeats some of the
//! scheduler's filters, because a pod can name its node itself. Upstream: `pkg/kubelet/lifecycle/predicate.go`.

use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use crate::nodes::constraints::{selects, tolerates_all};
use kube_machinery::kinds::is_extended_resource;
use kube_machinery::value::Value;

/// The operating system of all simulated nodes.
const OS: &str = "linux";

/// The resources that upstream compares first, in this order. The others follow by name.
const FIRST: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];

/// The answer about a pod that may not run. Upstream: `PodAdmitResult`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotAdmitted {
    pub(crate) reason: String,
    pub(crate) message: String,
}

impl NotAdmitted {
    fn new(reason: &str, message: &str) -> Self {
        Self { reason: reason.to_owned(), message: message.to_owned() }
    }

    /// Upstream: `PredicateFailureError`.
    fn by(predicate: &str, why: &str) -> Self {
        Self::new(predicate, &format!("Predicate {predicate} failed: {why}"))
    }

    /// Upstream: `InsufficientResourceError`.
    fn out_of(resource: &str, requested: i64, used: i64, capacity: i64) -> Self {
        let message = format!(
            "Node didn't have enough resource: {resource}, requested: {requested}, used: {used}, capacity: {capacity}"
        );
        Self { reason: format!("OutOf{resource}"), message }
    }
}

/// Returns the first reason why a node cannot run a pod beside its other pods, or `None` if it can. Upstream: `Admit`.
pub(super) fn not_admitted(node: &Node, others: &NodeInfo, pod: &Value, info: &PodInfo) -> Option<NotAdmitted> {
    let spec = &pod["spec"];
    os_label(pod)
        .or_else(|| os_field(spec))
        .or_else(|| resources(node, others, info))
        .or_else(|| node_affinity(node, spec))
        .or_else(|| node_ports(others, info))
        .or_else(|| taint_toleration(node, spec))
}

/// As upstream, the label of the pod counts, and not the pod's node selector.
fn os_label(pod: &Value) -> Option<NotAdmitted> {
    let differs = pod["metadata"]["labels"]["kubernetes.io/os"].as_str().is_some_and(|os| os != OS);
    let message = "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label";
    differs.then(|| NotAdmitted::new("PodOSSelectorNodeLabelDoesNotMatch", message))
}

fn os_field(spec: &Value) -> Option<NotAdmitted> {
    let differs = spec["os"]["name"].as_str().is_some_and(|os| os != OS);
    differs.then(|| NotAdmitted::new("PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"))
}

/// Compares the pod's requests with the rest of the node. An extended resource that the node does not name is left out.
/// A Node object without resources, which no kubelet has reported, is not compared. Upstream: `fitsRequest`, and
/// `removeMissingExtendedResources`.
fn resources(node: &Node, others: &NodeInfo, pod: &PodInfo) -> Option<NotAdmitted> {
    if !node.has_resources() {
        return None;
    }
    let (count, most) = (i64::try_from(others.pod_count()).unwrap_or(i64::MAX), node.allocatable("pods"));
    if count >= most {
        return Some(NotAdmitted::out_of("pods", 1, count, most));
    }
    let rank = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    let exceeded = pod.requests.iter().filter(|(name, amount)| {
        let is_unknown = is_extended_resource(name) && !node.names(name);
        !is_unknown && *amount > node.allocatable(name).saturating_sub(others.requested(name))
    });
    let (name, amount) = exceeded.min_by_key(|(name, _)| (rank(name), name.clone()))?;
    Some(NotAdmitted::out_of(name, *amount, others.requested(name), node.allocatable(name)))
}

fn node_affinity(node: &Node, spec: &Value) -> Option<NotAdmitted> {
    let refuses = !selects(spec, &node.name, &node.labels);
    refuses.then(|| NotAdmitted::by("NodeAffinity", "node(s) didn't match Pod's node affinity/selector"))
}

fn node_ports(others: &NodeInfo, pod: &PodInfo) -> Option<NotAdmitted> {
    let refuses = others.ports().any(|taken| pod.ports.iter().any(|port| port.conflicts(taken)));
    let why = "node(s) didn't have free ports for the requested pod ports";
    refuses.then(|| NotAdmitted::by("NodePorts", why))
}

/// Of the taints, only those with the effect `NoExecute` concern a kubelet.
fn taint_toleration(node: &Node, spec: &Value) -> Option<NotAdmitted> {
    let refuses = !tolerates_all(spec, &node.spec["taints"], &["NoExecute"]);
    refuses.then(|| NotAdmitted::by("TaintToleration", "node(s) had taints that the pod didn't tolerate"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::nodes::scheduler::testing;
    use kube_machinery::value::json;

    fn of(requests: Value) -> Value {
        json!({"containers": [{"resources": {"requests": requests}}]})
    }

    /// Returns reason and message for a pod beside another one, on a node of 4 CPUs, 8 Gi and 3 pods.
    fn answer(spec: Value, other: Value) -> Option<(String, String)> {
        let node = testing::node("a", json!({"disk": "ssd"}), json!({"taints": [{"key": "k", "effect": "NoExecute"}]}));
        let mut others = NodeInfo::default();
        others.add(Arc::new(PodInfo::of(&testing::pod("other", json!({}), other))));
        let pod = testing::pod("pod", json!({}), spec);
        let answer = not_admitted(&node, &others, &pod, &PodInfo::of(&pod))?;
        Some((answer.reason, answer.message))
    }

    #[test]
    fn the_first_reason_counts_in_upstreams_order() {
        let message = |reason: &str, message: &str| Some((reason.to_owned(), message.to_owned()));
        let tainted = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
        assert_eq!(answer(of(json!({})), json!({})), message("TaintToleration", tainted));
        let cpu = "Node didn't have enough resource: cpu, requested: 3500, used: 1000, capacity: 4000";
        let both = of(json!({"cpu": "3500m", "ephemeral-storage": "1", "example.com/gpu": "1"}));
        assert_eq!(answer(both, of(json!({"cpu": "1"}))), message("OutOfcpu", cpu));
        let storage = "Node didn't have enough resource: ephemeral-storage, requested: 1, used: 0, capacity: 0";
        let huge = of(json!({"hugepages-2Mi": "2Mi", "ephemeral-storage": "1"}));
        assert_eq!(answer(huge, json!({})), message("OutOfephemeral-storage", storage));
        let unknown = of(json!({"example.com/gpu": "1"}));
        assert_eq!(answer(unknown, json!({})), message("TaintToleration", tainted), "as upstream");
        let selector = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
        assert_eq!(answer(json!({"nodeSelector": {"disk": "hdd"}}), json!({})), message("NodeAffinity", selector));
        let port = json!({"containers": [{"ports": [{"hostPort": 80}]}]});
        let taken = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
        assert_eq!(answer(port.clone(), port), message("NodePorts", taken));
        let os = "Failed to admit pod as the OS field doesn't match node OS";
        assert_eq!(answer(json!({"os": {"name": "windows"}}), json!({})), message("PodOSNotSupported", os));
        assert_eq!(answer(json!({"tolerations": [{"operator": "Exists"}]}), json!({})), None);
    }
}
