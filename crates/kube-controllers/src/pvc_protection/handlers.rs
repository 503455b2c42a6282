//! The event handlers that put the key of a claim into the work queue, when the claim needs the controller or one of its
//! pods has changed. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Object, meta_namespace_key};

use super::{Controller, FINALIZER, unused};
use crate::shared::finalizers::{is_deletion_candidate, needs_finalizer};
use crate::shared::pod_claims::PodClaims;

/// Queues each claim that lacks the finalizer or the condition `Unused`, or that is being deleted.
pub(super) struct ClaimHandler(pub(super) Arc<Controller>);

impl ClaimHandler {
    fn on_written(&self, claim: &DynamicObject) {
        let metadata = &claim.metadata;
        let is_incomplete = needs_finalizer(metadata, FINALIZER) || unused::condition(claim).is_none();
        if is_incomplete || is_deletion_candidate(metadata, FINALIZER) {
            self.0.queue.add(meta_namespace_key(claim));
        }
    }
}

impl EventHandler<DynamicObject> for ClaimHandler {
    fn on_add(&mut self, claim: Arc<DynamicObject>, _initial: InitialList) {
        self.on_written(&claim);
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.on_written(&new);
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}

/// Queues the claims of each pod that was added, deleted, or that uses them in another way than before.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl PodHandler {
    fn enqueue_claims(&self, pod: &PodClaims) {
        pod.claim_keys().for_each(|claim| self.0.queue.add(claim));
    }
}

impl EventHandler<PodClaims> for PodHandler {
    fn on_add(&mut self, pod: Arc<PodClaims>, _initial: InitialList) {
        self.enqueue_claims(&pod);
    }

    fn on_update(&mut self, old: Arc<PodClaims>, new: Arc<PodClaims>) {
        if old.meta().uid != new.meta().uid {
            self.enqueue_claims(&old); // the new pod has only the name of the old one
        }
        self.enqueue_claims(&new);
    }

    fn on_delete(&mut self, deletion: Deletion<PodClaims>) {
        if let Some(pod) = deletion.object() {
            self.enqueue_claims(pod);
        }
    }
}
