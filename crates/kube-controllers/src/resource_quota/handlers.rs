//! The event handlers of the resource quota controller: they put the key of a quota into the work queue when its spec
//! changes, or when the objects that it tracks use less. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Lister, Object as _, meta_namespace_key};
use kube_informers::workqueue::WorkQueue;
use kube_machinery::kinds::quota::Evaluator;
use kube_selectors::LabelSelector;

use super::Controller;
use super::tracked::{CountedOnly, MayHaveFootprint};

/// Queues each quota that was added, or whose spec has changed. Changes of the status do not count, because this
/// controller and the API server make them.
pub(super) struct QuotaHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for QuotaHandler {
    fn on_add(&mut self, quota: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*quota));
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        if old.data["spec"] != new.data["spec"] || old.metadata.uid != new.metadata.uid {
            self.0.queue.add(meta_namespace_key(&*new));
        }
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}

/// Queues the quotas that limit the objects of a custom resource, when the server begins to serve it.
pub(super) struct DefinitionHandler {
    pub(super) quotas: Lister<DynamicObject>,
    pub(super) queue: Arc<WorkQueue<String>>,
}

impl DefinitionHandler {
    fn enqueue_quotas(&self, definition: &CountedOnly) {
        let limit = format!("count/{}", definition.meta().name);
        for quota in self.quotas.list(&LabelSelector::everything()) {
            if quota.data["spec"]["hard"].get(&limit).is_some() {
                self.queue.add(meta_namespace_key(&*quota));
            }
        }
    }
}

impl EventHandler<CountedOnly> for DefinitionHandler {
    fn on_add(&mut self, definition: Arc<CountedOnly>, _initial: InitialList) {
        self.enqueue_quotas(&definition);
    }

    /// An update may say that the names of the resource are accepted.
    fn on_update(&mut self, _old: Arc<CountedOnly>, new: Arc<CountedOnly>) {
        self.enqueue_quotas(&new);
    }

    fn on_delete(&mut self, _deletion: Deletion<CountedOnly>) {}
}

/// Queues the quotas that track an object which was deleted, or which uses another amount than before. As upstream, a
/// new object queues none, because the API server has charged it already. Upstream: `replenishQuota`.
pub(super) struct ReplenishHandler {
    pub(super) evaluator: Evaluator,
    pub(super) quotas: Lister<DynamicObject>,
    pub(super) queue: Arc<WorkQueue<String>>,
}

impl ReplenishHandler {
    fn enqueue_quotas(&self, namespace: &str) {
        for quota in self.quotas.namespace(namespace).list(&LabelSelector::everything()) {
            let mut limits = quota.data["spec"]["hard"].as_object().into_iter().flatten();
            if limits.any(|(name, _)| self.evaluator.tracks(name)) {
                self.queue.add(meta_namespace_key(&*quota));
            }
        }
    }
}

impl<T: MayHaveFootprint> EventHandler<T> for ReplenishHandler {
    fn on_add(&mut self, _object: Arc<T>, _initial: InitialList) {}

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        if old.meta().uid != new.meta().uid || old.footprint() != new.footprint() {
            self.enqueue_quotas(new.meta().namespace);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        if let Some(object) = deletion.object() {
            self.enqueue_quotas(object.meta().namespace);
        }
    }
}
