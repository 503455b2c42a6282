//! A constraint that forbids an uneven spread of pods over topologies. Upstream: `topologySpreadConstraint`.

use super::affinity_term::{selector, text};
use super::node_info::Node;
use super::pod_info::PodInfo;
use crate::nodes::constraints::{selects, tolerates_all};
use crate::nodes::items::items;
use kube_machinery::value::{SmolStr, Value};
use kube_selectors::{LabelOperator, LabelRequirement, LabelSelector};

#[derive(Debug)]
pub(super) struct SpreadConstraint {
    pub(super) max_skew: i64,
    pub(super) topology_key: SmolStr,
    selector: LabelSelector,
    pub(super) min_domains: usize,
    node_affinity_policy: NodeInclusionPolicy,
    node_taints_policy: NodeInclusionPolicy,
}

/// Tells whether nodes on which the pod cannot run are left out of the count (`Honor`) or not (`Ignore`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeInclusionPolicy {
    Honor,
    Ignore,
}

impl SpreadConstraint {
    /// Reads those constraints of a pod that can forbid a node. None of the default constraints can. Upstream:
    /// `filterTopologySpreadConstraints`.
    pub(super) fn do_not_schedule(pod: &Value) -> Box<[Self]> {
        let constraints = items(&pod["spec"]["topologySpreadConstraints"]).iter();
        let hard = constraints.filter(|constraint| constraint["whenUnsatisfiable"] == "DoNotSchedule");
        hard.map(|constraint| Self::of(constraint, &pod["metadata"]["labels"])).collect()
    }

    fn of(constraint: &Value, labels: &Value) -> Self {
        Self {
            max_skew: constraint["maxSkew"].as_i64().unwrap_or_default(),
            topology_key: text(&constraint["topologyKey"]),
            selector: with_label_keys(selector(&constraint["labelSelector"]), &constraint["matchLabelKeys"], labels),
            min_domains: constraint["minDomains"].as_u64().map_or(1, |least| usize::try_from(least).unwrap_or(1)),
            node_affinity_policy: policy(&constraint["nodeAffinityPolicy"], NodeInclusionPolicy::Honor),
            node_taints_policy: policy(&constraint["nodeTaintsPolicy"], NodeInclusionPolicy::Ignore),
        }
    }

    pub(super) fn selects(&self, pod: &PodInfo) -> bool {
        pod.is_selected_by(&self.selector)
    }

    /// Returns the number of a node's pods that the constraint selects in a namespace. Upstream:
    /// `countPodsMatchSelector`.
    pub(super) fn count<'a>(&self, pods: impl Iterator<Item = &'a PodInfo>, namespace: &SmolStr) -> i64 {
        if self.selector.is_everything() {
            return 0;
        }
        let counts = |pod: &&PodInfo| !pod.is_terminating && pod.namespace == *namespace && self.selects(pod);
        i64::try_from(pods.filter(counts).count()).unwrap_or(i64::MAX)
    }

    /// Returns true if pods on this node count. Upstream: `matchNodeInclusionPolicies`.
    pub(super) fn includes(&self, node: &Node, spec: &Value) -> bool {
        let is_wanted = || selects(spec, &node.name, &node.labels);
        let is_tolerated = || tolerates_all(spec, &node.spec["taints"], &["NoSchedule", "NoExecute"]);
        (self.node_affinity_policy == NodeInclusionPolicy::Ignore || is_wanted())
            && (self.node_taints_policy == NodeInclusionPolicy::Ignore || is_tolerated())
    }
}

/// Adds the pod's own values of some labels to a selector. Upstream: `mergeLabelSetWithSelector`.
fn with_label_keys(selector: LabelSelector, keys: &Value, labels: &Value) -> LabelSelector {
    let own = items(keys).iter().filter_map(|key| Some((key.as_str()?, labels[key.as_str()?].as_str()?)));
    let requirements =
        own.filter_map(|(key, value)| LabelRequirement::new(key, LabelOperator::Equals, vec![value.to_owned()]).ok());
    requirements.fold(selector, LabelSelector::and)
}

fn policy(value: &Value, default: NodeInclusionPolicy) -> NodeInclusionPolicy {
    match value.as_str() {
        Some("Honor") => NodeInclusionPolicy::Honor,
        Some("Ignore") => NodeInclusionPolicy::Ignore,
        _ => default,
    }
}
