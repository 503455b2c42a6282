//! The StatefulSet controller's event handlers: they turn the informers' notifications into keys in the work queue, and make
//! no requests.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::Controller;
use crate::shared::object::{controller, controller_of_kind, namespace};
use kube_machinery::conventions::label_selector;

/// Queues each StatefulSet that was added, changed or deleted.
pub(super) struct OfSets(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfSets {
    fn on_add(&mut self, set: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*set));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        for writes in [&self.0.statuses, &self.0.pod_writes, &self.0.claim_writes] {
            writes.forget(&key);
        }
        self.0.revisions.forget(&key);
        self.0.queue.add(key);
    }
}

impl Controller {
    /// Queues the StatefulSet that controls an object, or those that may adopt it.
    fn wake(&self, metadata: &ObjectMeta) {
        if controller(metadata).is_none() {
            return self.offer(metadata);
        }
        let Some(owner) = controller_of_kind(metadata, &self.kind.kind) else { return };
        let set = self.sets.namespace(namespace(metadata)).get(&owner.name);
        if let Ok(set) = set
            && set.metadata.uid.as_ref() == Some(&owner.uid)
        // not an earlier one of the same name
        {
            self.queue.add(meta_namespace_key(&*set));
        }
    }

    fn offer(&self, orphan: &ObjectMeta) {
        for set in self.sets.namespace(namespace(orphan)).list(&LabelSelector::everything()) {
            let selector = label_selector::read(&set.data["spec"]["selector"].clone().into());
            if selector.is_ok_and(|selector| selector.matches(orphan.labels.as_ref())) {
                self.queue.add(meta_namespace_key(&*set));
            }
        }
    }
}

/// Queues the StatefulSet that controls a pod.
pub(super) struct OfPods(pub(super) Arc<Controller>);

impl EventHandler<Pod> for OfPods {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.wake(&pod.metadata);
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        if old.metadata.resource_version == new.metadata.resource_version {
            return; // a resync: nothing changed
        }
        if controller(&old.metadata) != controller(&new.metadata) {
            self.0.wake(&old.metadata);
        }
        self.0.wake(&new.metadata);
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.0.wake(&pod.metadata);
        }
    }
}
