//! The DaemonSet controller's event handlers: they turn the informers' notifications into keys in the work queue, and make
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

/// Queues each DaemonSet that was added, changed or deleted.
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
        self.0.statuses.forget(&key);
        self.0.pod_writes.forget(&key);
        self.0.revisions.forget(&key);
        self.0.backoffs.forget(&key);
        self.0.queue.add(key);
    }
}

impl Controller {
    /// Queues the DaemonSet that controls an object, or those that may adopt it.
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

    fn wake_all(&self) {
        for set in self.sets.list(&LabelSelector::everything()) {
            self.queue.add(meta_namespace_key(&*set));
        }
    }

    /// Queues the DaemonSets that controlled a changed pod or revision before and now.
    fn changed(&self, old: &ObjectMeta, new: &ObjectMeta) {
        if old.resource_version == new.resource_version {
            return; // a resync: nothing changed
        }
        if controller(old) != controller(new) {
            self.wake(old);
        }
        self.wake(new);
    }
}

/// Queues all DaemonSets when a node is added or removed, or when its labels or taints change.
pub(super) struct OfNodes(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfNodes {
    fn on_add(&mut self, _node: Arc<DynamicObject>, _initial: InitialList) {
        self.0.wake_all();
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        let taints = |node: &DynamicObject| node.data["spec"]["taints"].clone();
        if old.metadata.labels != new.metadata.labels || taints(&old) != taints(&new) {
            self.0.wake_all();
        }
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {
        self.0.wake_all();
    }
}

/// Queues the DaemonSet that controls a pod.
pub(super) struct OfPods(pub(super) Arc<Controller>);

impl EventHandler<Pod> for OfPods {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.wake(&pod.metadata);
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        self.0.changed(&old.metadata, &new.metadata);
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.0.wake(&pod.metadata);
        }
    }
}

/// Queues the DaemonSet that controls a revision.
pub(super) struct OfRevisions(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfRevisions {
    fn on_add(&mut self, revision: Arc<DynamicObject>, _initial: InitialList) {
        self.0.wake(&revision.metadata);
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.changed(&old.metadata, &new.metadata);
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(revision) = deletion.object() {
            self.0.wake(&revision.metadata);
        }
    }
}
