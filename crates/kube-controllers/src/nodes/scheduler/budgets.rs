//! The PodDisruptionBudgets, which preemption respects as far as possible.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_core::ResourceExt;
use kube_machinery::value::{SmolStr, Value};
use kube_selectors::LabelSelector;

use super::affinity_term::selector;
use super::pod_info::PodInfo;

/// The budgets by namespace and name.
#[derive(Debug, Default)]
pub(super) struct Budgets(BTreeMap<(String, String), Budget>);

#[derive(Debug)]
pub(super) struct Budget {
    selector: LabelSelector,
    /// The number of pods that may end at present.
    allowed: i64,
    /// The names of the pods that are about to end with the API server's permission. They do not count again.
    disrupted: BTreeSet<SmolStr>,
}

/// Pods on a node that could end to make room, grouped by whether that violates a budget.
pub(super) struct Victims {
    pub(super) violating: Vec<Arc<PodInfo>>,
    pub(super) non_violating: Vec<Arc<PodInfo>>,
}

impl Budget {
    /// Reads the budget's selector and status.
    pub(super) fn of(budget: &DynamicObject) -> Self {
        let data = Value::from(budget.data.clone());
        let disrupted = data["status"]["disruptedPods"].as_object().into_iter().flatten();
        Self {
            selector: selector(&data["spec"]["selector"]),
            allowed: data["status"]["disruptionsAllowed"].as_i64().unwrap_or_default(),
            disrupted: disrupted.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Returns true if the end of the pod counts against the budget. An empty selector selects no pod.
    fn counts(&self, pod: &PodInfo) -> bool {
        let is_selected = !self.selector.is_everything() && pod.is_selected_by(&self.selector);
        is_selected && pod.has_labels() && !self.disrupted.contains(&pod.name)
    }
}

impl Budgets {
    pub(super) fn replace(&mut self, list: &[DynamicObject]) {
        self.0 = list.iter().map(|budget| (key(budget), Budget::of(budget))).collect();
    }

    pub(super) fn set(&mut self, budget: &DynamicObject) {
        self.0.insert(key(budget), Budget::of(budget));
    }

    pub(super) fn remove(&mut self, budget: &DynamicObject) {
        self.0.remove(&key(budget));
    }

    /// Groups pods by whether their ends, one after the other, violate a budget. Upstream:
    /// `FilterVictimsWithPDBViolation`.
    pub(super) fn group(&self, pods: &[Arc<PodInfo>]) -> Victims {
        let mut left: Vec<_> = self.0.iter().map(|((namespace, _), one)| (namespace, one, one.allowed)).collect();
        let (violating, non_violating) = pods.iter().cloned().partition(|pod| {
            let own =
                left.iter_mut().filter(|(namespace, budget, _)| **namespace == *pod.namespace && budget.counts(pod));
            own.into_iter().any(|(_, _, allowed)| {
                *allowed -= 1;
                *allowed < 0
            })
        });
        Victims { violating, non_violating }
    }
}

fn key(budget: &DynamicObject) -> (String, String) {
    (budget.namespace().unwrap_or_default(), budget.name_any())
}
