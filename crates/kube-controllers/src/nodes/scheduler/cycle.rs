//! One attempt to schedule a pod: what the filters computed of all pods before they look at single nodes. Upstream:
//! `CycleState`.

use super::cache::Cache;
use super::filters::{self, Rejection};
use super::inter_pod_affinity::InterPodAffinity;
use super::node_info::{Node, NodeInfo};
use super::pod_topology_spread::PodTopologySpread;
use super::queue::Pending;

#[derive(Clone)]
pub(super) struct Cycle<'a> {
    pending: &'a Pending,
    cache: &'a Cache,
    /// `None` if the pod has no constraints.
    spread: Option<PodTopologySpread>,
    /// `None` if no other pod matters to this one.
    affinity: Option<InterPodAffinity>,
}

impl<'a> Cycle<'a> {
    /// Upstream: `RunPreFilterPlugins`.
    pub(super) fn begin(pending: &'a Pending, cache: &'a Cache) -> Self {
        let pod = &*pending.info;
        let spread = PodTopologySpread::pre_filter(&pending.pod["spec"], pod, cache);
        Self { pending, cache, spread, affinity: InterPodAffinity::pre_filter(pod, cache) }
    }

    /// Returns the answer of the first filter that refuses the node, or `None` if the pod fits. Upstream:
    /// `RunFilterPlugins`.
    pub(super) fn filter(&self, node: &Node, on_it: &NodeInfo) -> Option<Rejection> {
        let (spec, pod, namespaces) = (&self.pending.pod["spec"], &*self.pending.info, &self.cache.namespaces);
        filters::rejection(node, on_it, spec, pod)
            .or_else(|| self.spread.as_ref().and_then(|spread| spread.filter(node, pod)))
            .or_else(|| self.affinity.as_ref().and_then(|affinity| affinity.filter(node, pod, namespaces)))
    }
}
