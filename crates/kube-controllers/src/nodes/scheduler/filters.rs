//! The reasons why a pod cannot run on a node, in the words and in the order of upstream's filters. A pod gets the
//! reasons of the first filter that refuses the node.

use std::borrow::Cow;

use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use crate::nodes::constraints::{selects, tolerates, tolerates_all};
use kube_machinery::value::Value;

/// The answer of a filter that refuses a node.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) reasons: Vec<Cow<'static, str>>,
    /// Whether the pod could fit if other pods left the node. Upstream: `Unschedulable`, in contrast to
    /// `UnschedulableAndUnresolvable`.
    pub(super) is_resolvable: bool,
}

impl Rejection {
    /// Refuses a node where no other pod's end would help.
    pub(super) fn unresolvable(reason: &'static str) -> Self {
        Self { reasons: vec![reason.into()], is_resolvable: false }
    }

    /// Refuses a node where the pod could fit if other pods left.
    pub(super) fn resolvable(reason: &'static str) -> Self {
        Self { reasons: vec![reason.into()], is_resolvable: true }
    }
}

/// Returns the answer of the first filter that refuses the node, or `None` if a pod of this spec fits. These filters
/// look at one node with its pods; those of a [`Cycle`](super::cycle::Cycle) look at all nodes.
pub(super) fn rejection(node: &Node, on_it: &NodeInfo, spec: &Value, pod: &PodInfo) -> Option<Rejection> {
    node_unschedulable(node, spec)
        .or_else(|| taint_toleration(node, spec))
        .or_else(|| node_affinity(node, spec))
        .or_else(|| node_ports(on_it, pod))
        .or_else(|| node_resources_fit(node, on_it, pod))
}

fn node_unschedulable(node: &Node, spec: &Value) -> Option<Rejection> {
    let refuses =
        node.spec["unschedulable"] == true && !tolerates(spec, "node.kubernetes.io/unschedulable", "", "NoSchedule");
    refuses.then(|| Rejection::unresolvable("node(s) were unschedulable"))
}

fn taint_toleration(node: &Node, spec: &Value) -> Option<Rejection> {
    let refuses = !tolerates_all(spec, &node.spec["taints"], &["NoSchedule", "NoExecute"]);
    refuses.then(|| Rejection::unresolvable("node(s) had untolerated taint(s)"))
}

fn node_affinity(node: &Node, spec: &Value) -> Option<Rejection> {
    let refuses = !selects(spec, &node.name, &node.labels);
    refuses.then(|| Rejection::unresolvable("node(s) didn't match Pod's node affinity/selector"))
}

fn node_ports(on_it: &NodeInfo, pod: &PodInfo) -> Option<Rejection> {
    let conflicts = || on_it.ports().any(|taken| pod.ports.iter().any(|port| port.conflicts(taken)));
    let refuses = !pod.ports.is_empty() && conflicts();
    let reason = "node(s) didn't have free ports for the requested pod ports";
    refuses.then(|| Rejection::resolvable(reason))
}

/// Names each resource that the node has too little of. Upstream: `noderesources.Fit`.
fn node_resources_fit(node: &Node, on_it: &NodeInfo, pod: &PodInfo) -> Option<Rejection> {
    let (mut reasons, mut is_resolvable) = (Vec::new(), true);
    if i64::try_from(on_it.pod_count()).is_ok_and(|count| count >= node.allocatable("pods")) {
        reasons.push("Too many pods".into());
    }
    for (name, amount) in &pod.requests {
        let allocatable = node.allocatable(name);
        if *amount > allocatable.saturating_sub(on_it.requested(name)) {
            reasons.push(format!("Insufficient {name}").into());
            is_resolvable &= *amount <= allocatable; // else the node is too small without any other pod
        }
    }
    (!reasons.is_empty()).then_some(Rejection { reasons, is_resolvable })
}
