//! The filter by required affinity and anti-affinity between pods. Once for each attempt to schedule a pod, it counts
//! in each topology (such as a zone) the pods that the rules are about. Upstream: the plugin `InterPodAffinity`.

use super::affinity_term::AffinityTerm;
use super::cache::Cache;
use super::filters::Rejection;
use super::namespaces::Namespaces;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::topology_counts::TopologyCounts;

/// The counts for an incoming pod, which is the pod to schedule, by topology. Upstream: `preFilterState`.
#[derive(Clone, Default)]
pub(super) struct InterPodAffinity {
    /// The existing pods' terms of anti-affinity that select the incoming pod.
    existing_anti_affinity: TopologyCounts,
    /// The existing pods that all of the incoming pod's terms of affinity select.
    affinity: TopologyCounts,
    /// The existing pods that a term of the incoming pod's anti-affinity selects.
    anti_affinity: TopologyCounts,
}

impl InterPodAffinity {
    /// Counts for an incoming pod. Returns `None` if no rule is about it, so that the filter is skipped. Upstream:
    /// `PreFilter`.
    pub(super) fn pre_filter(pod: &PodInfo, cache: &Cache) -> Option<Self> {
        let mut state = Self::default();
        let has_terms = pod.has_terms();
        for info in cache.nodes_with_anti_affinity() {
            let Some(node) = &info.node else { continue };
            info.pods().for_each(|existing| state.count_existing(existing, node, 1, pod, &cache.namespaces));
        }
        for info in cache.nodes().filter(|_| has_terms) {
            let Some(node) = &info.node else { continue };
            info.pods().for_each(|existing| state.count_incoming(existing, node, 1, pod, &cache.namespaces));
        }
        (has_terms || !state.existing_anti_affinity.is_empty()).then_some(state)
    }

    /// Adds `change` to the counts of an existing pod: 1 if it comes, -1 if it goes. Upstream: `updateWithPod`.
    pub(super) fn update(
        &mut self,
        existing: &PodInfo,
        node: &Node,
        change: i64,
        pod: &PodInfo,
        namespaces: &Namespaces,
    ) {
        self.count_existing(existing, node, change, pod, namespaces);
        self.count_incoming(existing, node, change, pod, namespaces);
    }

    fn count_existing(&mut self, existing: &PodInfo, node: &Node, change: i64, pod: &PodInfo, namespaces: &Namespaces) {
        for term in existing.anti_affinity.iter().filter(|term| term.matches(pod, namespaces)) {
            self.existing_anti_affinity.update(node, &term.topology_key, change);
        }
    }

    fn count_incoming(&mut self, existing: &PodInfo, node: &Node, change: i64, pod: &PodInfo, namespaces: &Namespaces) {
        if matches_all(&pod.affinity, existing, namespaces) {
            for term in &pod.affinity {
                self.affinity.update(node, &term.topology_key, change);
            }
        }
        for term in pod.anti_affinity.iter().filter(|term| term.matches(existing, namespaces)) {
            self.anti_affinity.update(node, &term.topology_key, change);
        }
    }

    /// Upstream: `Filter`.
    pub(super) fn filter(&self, node: &Node, pod: &PodInfo, namespaces: &Namespaces) -> Option<Rejection> {
        if !self.satisfies_affinity(node, pod, namespaces) {
            Some(Rejection::unresolvable("node(s) didn't match pod affinity rules"))
        } else if !self.satisfies_anti_affinity(node, pod) {
            Some(Rejection::resolvable("node(s) didn't match pod anti-affinity rules"))
        } else if !self.satisfies_existing_anti_affinity(node) {
            Some(Rejection::resolvable("node(s) didn't satisfy existing pods anti-affinity rules"))
        } else {
            None
        }
    }

    /// Returns true if the node has the labels of all terms, and each of these topologies has a pod that the terms
    /// select. If there is no such pod anywhere, a pod that its own terms select needs none, because it is the first of
    /// its group.
    fn satisfies_affinity(&self, node: &Node, pod: &PodInfo, namespaces: &Namespaces) -> bool {
        let has_topologies = pod.affinity.iter().all(|term| node.labels[&*term.topology_key].is_string());
        let has_pods = || pod.affinity.iter().all(|term| self.affinity.is_positive(node, &term.topology_key));
        let is_first = || self.affinity.is_empty() && matches_all(&pod.affinity, pod, namespaces);
        has_topologies && (has_pods() || is_first())
    }

    fn satisfies_anti_affinity(&self, node: &Node, pod: &PodInfo) -> bool {
        !pod.anti_affinity.iter().any(|term| self.anti_affinity.is_positive(node, &term.topology_key))
    }

    fn satisfies_existing_anti_affinity(&self, node: &Node) -> bool {
        let mut keys = node.labels.as_object().into_iter().flatten().map(|(key, _)| key);
        self.existing_anti_affinity.is_empty() || !keys.any(|key| self.existing_anti_affinity.is_positive(node, key))
    }
}

/// Returns true if there are terms and all of them select the pod.
fn matches_all(terms: &[AffinityTerm], pod: &PodInfo, namespaces: &Namespaces) -> bool {
    !terms.is_empty() && terms.iter().all(|term| term.matches(pod, namespaces))
}

#[cfg(test)]
mod tests;
