//! A required term of `podAffinity` or `podAntiAffinity`: the pods that it selects, and the label of nodes that says
//! which nodes are near each other. The server has merged `matchLabelKeys` and `mismatchLabelKeys` into the selector.
//! Upstream: `AffinityTerm`.

use super::namespaces::Namespaces;
use super::pod_info::PodInfo;
use crate::nodes::items::items;
use kube_machinery::conventions::label_selector;
use kube_machinery::value::{SmolStr, Value};
use kube_selectors::LabelSelector;

#[derive(Debug)]
pub(super) struct AffinityTerm {
    selector: LabelSelector,
    namespaces: Box<[SmolStr]>,
    namespace_selector: LabelSelector,
    pub(super) topology_key: SmolStr,
}

impl AffinityTerm {
    /// Reads the required terms of a pod. `kind` is `podAffinity` or `podAntiAffinity`.
    pub(super) fn required(pod: &Value, kind: &str) -> Box<[Self]> {
        let terms = &pod["spec"]["affinity"][kind]["requiredDuringSchedulingIgnoredDuringExecution"];
        items(terms).iter().map(|term| Self::of(term, &pod["metadata"]["namespace"])).collect()
    }

    /// Reads a term. Without namespaces and without a selector of namespaces, the term selects pods in the namespace of
    /// the pod that has the term. Upstream: `getNamespacesFromPodAffinityTerm`.
    fn of(term: &Value, own: &Value) -> Self {
        let named = items(&term["namespaces"]);
        let has_none = named.is_empty() && term["namespaceSelector"].is_null();
        let namespaces = if has_none { std::slice::from_ref(own) } else { named };
        Self {
            selector: selector(&term["labelSelector"]),
            namespaces: namespaces.iter().map(text).collect(),
            namespace_selector: selector(&term["namespaceSelector"]),
            topology_key: text(&term["topologyKey"]),
        }
    }

    /// Returns true if the term selects the pod. Upstream: `AffinityTerm.Matches`.
    pub(super) fn matches(&self, pod: &PodInfo, namespaces: &Namespaces) -> bool {
        let is_named = || self.namespaces.contains(&pod.namespace);
        let is_selected = || namespaces.selects(&self.namespace_selector, &pod.namespace);
        pod.is_selected_by(&self.selector) && (is_named() || is_selected())
    }
}

/// Parses a selector; an absent one selects nothing. The server stores only valid ones, so the fallback is never used.
pub(super) fn selector(selector: &Value) -> LabelSelector {
    label_selector::read(selector).unwrap_or_else(|_| LabelSelector::nothing())
}

pub(super) fn text(value: &Value) -> SmolStr {
    value.as_str().unwrap_or_default().into()
}
