//! The disruption controller's event handlers: they put the key of a budget into the work queue when the budget or one
//! of its pods changes. They make no requests.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Lister, meta_namespace_key};
use kube_machinery::conventions::label_selector;
use kube_selectors::{BadSelector, LabelSelector};

use super::{Controller, Key, stale_pod};
use crate::shared::handlers::Enqueue;
use crate::shared::object::namespace;

impl From<String> for Key {
    fn from(budget: String) -> Self {
        Self::Budget(budget)
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.budgets
    }

    fn forget(&self, key: &str, _: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
    }
}

pub(super) fn selector(budget: &DynamicObject) -> Result<LabelSelector, BadSelector> {
    label_selector::read(&budget.data["spec"]["selector"].clone().into())
}

impl Controller {
    /// Returns the budgets of a pod, sorted by name. Upstream: `GetPodPodDisruptionBudgets`.
    pub(super) fn budgets_of(&self, pod: &Pod) -> Vec<Arc<DynamicObject>> {
        let mut budgets = self.budgets.namespace(namespace(&pod.metadata)).list(&LabelSelector::everything());
        budgets.retain(|budget| selector(budget).is_ok_and(|selector| selector.matches(pod.metadata.labels.as_ref())));
        budgets.sort_by(|one, other| one.metadata.name.cmp(&other.metadata.name));
        budgets
    }

    /// Queues the budget of a pod. If there are several, only one of them gets a new status, as upstream, because a pod
    /// with several budgets cannot be evicted. Upstream: `getPdbForPod`.
    fn enqueue_budget_of(&self, pod: &Pod) {
        let budgets = self.budgets_of(pod);
        if let Some(budget) = budgets.first() {
            self.enqueue(budget);
        }
        if budgets.len() > 1 {
            self.queue.add(Key::Pod(meta_namespace_key(pod)));
        }
    }

    fn on_written(&self, pod: &Pod) {
        self.enqueue_budget_of(pod);
        if let Some(delay) = stale_pod::reset_after(pod, self.clock.time()) {
            self.queue.add_after(Key::Pod(meta_namespace_key(pod)), delay);
        }
    }
}

/// Queues the budget of each pod that was added, changed or deleted. As upstream, a pod that changes its labels does
/// not queue the budget that it had before.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl EventHandler<Pod> for PodHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.on_written(&pod);
    }

    fn on_update(&mut self, _old: Arc<Pod>, new: Arc<Pod>) {
        self.0.on_written(&new);
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.0.enqueue_budget_of(pod);
        }
    }
}
