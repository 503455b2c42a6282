//! The Deployment controller's event handlers: they turn the informers' notifications into keys in the work queue, and make
//! no requests.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::{Controller, claim};
use crate::shared::object::{controller, controller_of_kind, namespace};
use crate::shared::slim_pod::SlimPod;

/// Queues each Deployment that was added, changed or deleted.
pub(super) struct OfDeployments(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfDeployments {
    fn on_add(&mut self, deployment: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(meta_namespace_key(&*deployment));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(meta_namespace_key(&*new));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        self.0.statuses.forget(&key);
        self.0.set_writes.forget(&key);
        self.0.queue.add(key);
    }
}

impl Controller {
    /// Returns the Deployment that controls an object.
    fn owner(&self, metadata: &ObjectMeta) -> Option<Arc<DynamicObject>> {
        let owner = controller_of_kind(metadata, &self.kind.kind)?;
        let deployment = self.deployments.namespace(namespace(metadata)).get(&owner.name).ok()?;
        (deployment.metadata.uid.as_ref() == Some(&owner.uid)).then_some(deployment) // not an earlier one of the same name
    }

    /// Queues the Deployment that controls a ReplicaSet.
    fn wake_owner(&self, set: &ObjectMeta) {
        if let Some(deployment) = self.owner(set) {
            self.queue.add(meta_namespace_key(&*deployment));
        }
    }

    /// Queues each Deployment that may adopt a ReplicaSet which has no controller.
    fn offer(&self, orphan: &ObjectMeta) {
        for deployment in self.deployments.namespace(namespace(orphan)).list(&LabelSelector::everything()) {
            let selector = claim::selector(&deployment);
            if selector.is_ok_and(|selector| selector.matches(orphan.labels.as_ref())) {
                self.queue.add(meta_namespace_key(&*deployment));
            }
        }
    }
}

/// Queues the Deployment that controls a ReplicaSet.
pub(super) struct OfSets(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for OfSets {
    fn on_add(&mut self, set: Arc<DynamicObject>, _initial: InitialList) {
        match controller(&set.metadata) {
            Some(_) => self.0.wake_owner(&set.metadata),
            None => self.0.offer(&set.metadata),
        }
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        let (before, now) = (&old.metadata, &new.metadata);
        if before.resource_version == now.resource_version {
            return; // a resync: nothing changed
        }
        let moved = controller(before).map(|owner| &owner.uid) != controller(now).map(|owner| &owner.uid);
        if moved {
            self.0.wake_owner(before);
        }
        if controller(now).is_some() {
            self.0.wake_owner(now);
        } else if moved || before.labels != now.labels {
            self.0.offer(now);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        if let Some(set) = deletion.object() {
            self.0.wake_owner(&set.metadata);
        }
    }
}

/// Queues the Deployment of a pod that is gone, because the strategy `Recreate` waits for the last old pod.
pub(super) struct OfPods(pub(super) Arc<Controller>);

impl EventHandler<SlimPod> for OfPods {
    fn on_add(&mut self, _pod: Arc<SlimPod>, _initial: InitialList) {}

    fn on_update(&mut self, _old: Arc<SlimPod>, _new: Arc<SlimPod>) {}

    fn on_delete(&mut self, deletion: Deletion<SlimPod>) {
        let Some(pod) = deletion.object() else { return };
        let Some(owner) = pod.controller().filter(|owner| owner.kind == "ReplicaSet") else { return };
        let sets = self.0.sets.namespace(pod.namespace());
        if let Ok(set) = sets.get(&owner.name)
            && set.metadata.uid.as_ref() == Some(&owner.uid)
        {
            self.0.wake_owner(&set.metadata);
        }
    }
}
