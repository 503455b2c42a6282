//! One attempt to schedule a pod. It keeps the results that the filters compute from all pods before they look at
//! single nodes. Upstream: `CycleState`.

use std::sync::Arc;

use super::cache::Cache;
use super::filters::{self, Rejection};
use super::inter_pod_affinity::InterPodAffinity;
use super::node_info::{Node, NodeInfo};
use super::nominator::Nominator;
use super::pod_info::PodInfo;
use super::pod_topology_spread::PodTopologySpread;
use super::queue::Pending;
use super::volume_binding::PodVolumes;
use super::volumes::Volumes;
use kube_machinery::value::Value;

#[derive(Clone)]
pub(super) struct Cycle<'a> {
    pending: &'a Pending,
    cache: &'a Cache,
    nominator: &'a Nominator,
    /// `None` if the pod has no volumes that decide where it fits.
    volumes: Option<Volumes>,
    /// The message of a plugin that refuses all nodes.
    refusal: Option<Arc<str>>,
    /// `None` if the pod has no constraints.
    spread: Option<PodTopologySpread>,
    /// `None` if no other pod matters to this one.
    affinity: Option<InterPodAffinity>,
}

impl<'a> Cycle<'a> {
    /// Upstream: `RunPreFilterPlugins`.
    pub(super) fn begin(pending: &'a Pending, cache: &'a Cache, nominator: &'a Nominator) -> Self {
        let pod = &*pending.info;
        let (volumes, refusal) = match Volumes::pre_filter(pod, cache) {
            Ok(volumes) => (volumes, None),
            Err(message) => (None, Some(message.into())),
        };
        let spread = PodTopologySpread::pre_filter(&pending.pod["spec"], pod, cache);
        let affinity = InterPodAffinity::pre_filter(pod, cache);
        Self { pending, cache, nominator, volumes, refusal, spread, affinity }
    }

    pub(super) fn pod(&self) -> &'a PodInfo {
        &self.pending.info
    }

    pub(super) fn spec(&self) -> &'a Value {
        &self.pending.pod["spec"]
    }

    /// Returns why the pod fits on no node, whatever the nodes are. If there is a reason, the filters say nothing.
    pub(super) fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// Returns what must be written for the pod's claims before the pod is bound to a node.
    pub(super) fn pod_volumes(&self, node: &Node) -> Option<Arc<PodVolumes>> {
        self.volumes.as_ref()?.pod_volumes(node, &self.cache.storage).map(Arc::new)
    }

    /// Returns the node that is nominated for the pod.
    pub(super) fn nominated_node(&self) -> Option<&'a str> {
        self.nominator.node_of(&self.pending.uid)
    }

    /// Adds `change` to the counts for another pod on a node: 1 if it comes, -1 if it goes. Upstream:
    /// `RunPreFilterExtensionAddPod` and `RunPreFilterExtensionRemovePod`.
    pub(super) fn update(&mut self, other: &PodInfo, node: &Node, change: i64) {
        let (spec, pod) = (self.spec(), self.pod());
        if let Some(volumes) = &mut self.volumes {
            volumes.update(other, change);
        }
        if let Some(spread) = &mut self.spread {
            spread.update(other, node, change, spec, pod);
        }
        if let Some(affinity) = &mut self.affinity {
            affinity.update(other, node, change, pod, &self.cache.namespaces);
        }
    }

    /// Filters a node twice if it is nominated for pods of the same or a higher priority: with them and without them,
    /// because these pods may or may not come there. Upstream: `RunFilterPluginsWithNominatedPods`.
    pub(super) fn filter_with_nominated(&self, node: &Node, on_it: &NodeInfo) -> Option<Rejection> {
        let pod = self.pod();
        let precedes = |other: &&Arc<PodInfo>| other.priority >= pod.priority && other.uid != pod.uid;
        let mut nominated = self.nominator.pods_for(&node.name).filter(precedes).peekable();
        if nominated.peek().is_none() {
            return self.filter(node, on_it);
        }
        let (mut cycle, mut info) = (self.clone(), on_it.clone());
        for other in nominated {
            info.add(other.clone());
            cycle.update(other, node, 1);
        }
        cycle.filter(node, &info).or_else(|| self.filter(node, on_it))
    }

    /// Returns the answer of the first plugin of volumes that refuses the node.
    pub(super) fn filter_by_volumes(&self, node: &Node, on_it: &NodeInfo) -> Option<Rejection> {
        self.volumes.as_ref()?.filter(node, on_it, self.pod(), &self.cache.storage)
    }

    /// Returns the answer of the first filter that refuses the node, or `None` if the pod fits. Upstream:
    /// `RunFilterPlugins`.
    fn filter(&self, node: &Node, on_it: &NodeInfo) -> Option<Rejection> {
        let (spec, pod, namespaces) = (self.spec(), self.pod(), &self.cache.namespaces);
        filters::rejection(node, on_it, spec, pod)
            .or_else(|| self.filter_by_volumes(node, on_it))
            .or_else(|| self.spread.as_ref().and_then(|spread| spread.filter(node, pod)))
            .or_else(|| self.affinity.as_ref().and_then(|affinity| affinity.filter(node, pod, namespaces)))
    }
}
