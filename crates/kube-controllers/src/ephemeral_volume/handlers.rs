//! The event handlers that put the key of a pod into the work queue, when a claim is to be made for the pod. They make
//! no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::Controller;
use super::pod::EphemeralPod;

/// Queues each pod that was added. The volumes of a pod never change, and the garbage collector deletes the claims.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl Controller {
    fn enqueue(&self, pod: &EphemeralPod) {
        if !(pod.is_going || pod.volumes.is_empty()) {
            self.queue.add(meta_namespace_key(pod));
        }
    }
}

impl EventHandler<EphemeralPod> for PodHandler {
    fn on_add(&mut self, pod: Arc<EphemeralPod>, _initial: InitialList) {
        self.0.enqueue(&pod);
    }

    fn on_update(&mut self, old: Arc<EphemeralPod>, new: Arc<EphemeralPod>) {
        if old.object_meta().uid != new.object_meta().uid {
            self.0.enqueue(&new); // it has only the name of the old one
        }
    }

    fn on_delete(&mut self, deletion: Deletion<EphemeralPod>) {
        self.0.said.forget(&deletion_key(&deletion).to_string());
    }
}

/// Queues the pods of each claim that was deleted, because they need another one.
pub(super) struct ClaimHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for ClaimHandler {
    fn on_add(&mut self, _claim: Arc<DynamicObject>, _initial: InitialList) {}

    fn on_update(&mut self, _old: Arc<DynamicObject>, _new: Arc<DynamicObject>) {}

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let pods = self.0.pods_by_claim.get(&deletion_key(&deletion).to_string());
        pods.iter().for_each(|pod| self.0.enqueue(pod));
    }
}
