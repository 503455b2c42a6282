//! The filter by spread constraints: counts the pods of each topology once for each attempt to schedule a pod. Upstream:
//! the plugin `PodTopologySpread`.

use foldhash::HashMap;
use kube_machinery::value::{SmolStr, Value};

use super::cache::Cache;
use super::filters::Rejection;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::spread_constraint::SpreadConstraint;

/// The counts for each constraint of the pod, in the same order. Upstream: `preFilterState`.
#[derive(Clone)]
pub(super) struct PodTopologySpread(Vec<Domains>);

/// The topologies where pods that a constraint selects can be.
#[derive(Clone, Default)]
struct Domains {
    /// The number of selected pods by the value of the nodes' label.
    counts: HashMap<SmolStr, i64>,
    /// The smallest of `counts`. Upstream: the first of `CriticalPaths`.
    least: i64,
}

impl Domains {
    fn add(&mut self, value: &str, change: i64) {
        *self.counts.entry(value.into()).or_default() += change;
    }

    fn set_least(&mut self) {
        self.least = self.counts.values().copied().min().unwrap_or_default();
    }

    /// Returns the number of pods in the topology that has the fewest. Too few topologies count as if one more existed
    /// without pods. Upstream: `minMatchNum`.
    fn minimum(&self, constraint: &SpreadConstraint) -> i64 {
        if self.counts.len() < constraint.min_domains { 0 } else { self.least }
    }
}

impl PodTopologySpread {
    /// Counts the pods that the constraints select. Returns `None` if there are no constraints, so that the filter is
    /// skipped. Upstream: `PreFilter`.
    pub(super) fn pre_filter(spec: &Value, pod: &PodInfo, cache: &Cache) -> Option<Self> {
        if pod.spread.is_empty() {
            return None;
        }
        let mut state = Self(vec![Domains::default(); pod.spread.len()]);
        for info in cache.nodes() {
            let Some(node) = info.node.as_ref().filter(|node| has_all_topologies(node, pod)) else { continue };
            for (constraint, domains) in pod.spread.iter().zip(&mut state.0) {
                if let Some(value) = included(constraint, node, spec) {
                    domains.add(value, constraint.count(info.pods().map(AsRef::as_ref), &pod.namespace));
                }
            }
        }
        state.0.iter_mut().for_each(Domains::set_least);
        Some(state)
    }

    /// Adds `change` to the counts for a pod: 1 if it comes, -1 if it goes. As upstream, a pod that is being deleted counts
    /// here. Upstream: `updateWithPod`.
    pub(super) fn update(&mut self, existing: &PodInfo, node: &Node, change: i64, spec: &Value, pod: &PodInfo) {
        if existing.namespace != pod.namespace || !has_all_topologies(node, pod) {
            return;
        }
        for (constraint, domains) in pod.spread.iter().zip(&mut self.0).filter(|(one, _)| one.selects(existing)) {
            if let Some(value) = included(constraint, node, spec) {
                domains.add(value, change);
                domains.set_least();
            }
        }
    }

    /// Upstream: `Filter`.
    pub(super) fn filter(&self, node: &Node, pod: &PodInfo) -> Option<Rejection> {
        pod.spread.iter().zip(&self.0).find_map(|(constraint, domains)| {
            let Some(value) = node.labels[&*constraint.topology_key].as_str() else {
                let reason = "node(s) didn't match pod topology spread constraints (missing required label)";
                return Some(Rejection::unresolvable(reason));
            };
            let own = i64::from(constraint.selects(pod));
            let there = domains.counts.get(value).copied().unwrap_or_default();
            let is_uneven = there + own - domains.minimum(constraint) > constraint.max_skew;
            is_uneven.then(|| Rejection::resolvable("node(s) didn't match pod topology spread constraints"))
        })
    }
}

/// Returns true if the node has the labels of all constraints; otherwise its pods do not count. Upstream:
/// `nodeLabelsMatchSpreadConstraints`.
fn has_all_topologies(node: &Node, pod: &PodInfo) -> bool {
    pod.spread.iter().all(|constraint| node.labels[&*constraint.topology_key].is_string())
}

/// Returns the topology of the node, if the node's pods count.
fn included<'a>(constraint: &SpreadConstraint, node: &'a Node, spec: &Value) -> Option<&'a str> {
    let value = node.labels[&*constraint.topology_key].as_str()?;
    constraint.includes(node, spec).then_some(value)
}

#[cfg(test)]
mod tests;
