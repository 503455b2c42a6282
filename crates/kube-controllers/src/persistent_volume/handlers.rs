//! The event handlers of the binder: they put the keys of claims and volumes into the work queue, also of claims that
//! another object may help to bind. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::{Controller, Key};
use crate::shared::object::{annotation, name};
use crate::shared::pod_claims::PodClaims;
use crate::shared::volume::{BIND_COMPLETED, claim_key, class, names_class, text};

impl Controller {
    /// Queues the claims that are not bound yet, if they fit.
    fn enqueue_unbound(&self, fits: impl Fn(&DynamicObject) -> bool) {
        for claim in self.claims.list(&LabelSelector::everything()) {
            if annotation(&claim, BIND_COMPLETED).is_none() && fits(&claim) {
                self.queue.add(Key::Claim(meta_namespace_key(&*claim)));
            }
        }
    }
}

/// Queues each claim that was added or changed, and the volume of one that was deleted.
pub(super) struct ClaimHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for ClaimHandler {
    fn on_add(&mut self, claim: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(Key::Claim(meta_namespace_key(&*claim)));
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.queue.add(Key::Claim(meta_namespace_key(&*new)));
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        self.0.said.forget(&key);
        self.0.claim_writes.forget(&key);
        let volume = deletion.object().map(|claim| text(claim, "volumeName")).unwrap_or_default();
        if volume.is_empty() {
            self.enqueue_made_for(&key);
        } else {
            self.0.queue.add(Key::Volume(volume.to_owned()));
        }
    }
}

impl ClaimHandler {
    /// Queues the volume that was made for a claim, if the claim was deleted before it named the volume.
    fn enqueue_made_for(&self, claim: &str) {
        for volume in self.0.volumes.list(&LabelSelector::everything()) {
            if claim_key(&volume).as_deref() == Some(claim) {
                self.0.queue.add(Key::Volume(name(&volume.metadata).to_owned()));
            }
        }
    }
}

/// Queues each volume that was added or changed, and the claims that it may serve.
pub(super) struct VolumeHandler(pub(super) Arc<Controller>);

impl VolumeHandler {
    fn on_written(&self, volume: &DynamicObject) {
        self.0.queue.add(Key::Volume(name(&volume.metadata).to_owned()));
        match claim_key(volume) {
            Some(claim) => self.0.queue.add(Key::Claim(claim)),
            None => self.0.enqueue_unbound(|claim| class(claim) == class(volume)),
        }
    }
}

impl EventHandler<DynamicObject> for VolumeHandler {
    fn on_add(&mut self, volume: Arc<DynamicObject>, _initial: InitialList) {
        self.on_written(&volume);
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.on_written(&new);
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        self.0.volume_writes.forget(&deletion_key(&deletion).to_string());
        if let Some(claim) = deletion.object().and_then(|volume| claim_key(volume)) {
            self.0.queue.add(Key::Claim(claim));
        }
    }
}

/// Queues the unbound claims of each class that was added or changed, and those without a class, because it may be the
/// default now.
pub(super) struct ClassHandler(pub(super) Arc<Controller>);

impl ClassHandler {
    fn on_written(&self, of: &DynamicObject) {
        self.0.enqueue_unbound(|claim| !names_class(claim) || class(claim) == name(&of.metadata));
    }
}

impl EventHandler<DynamicObject> for ClassHandler {
    fn on_add(&mut self, class: Arc<DynamicObject>, _initial: InitialList) {
        self.on_written(&class);
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.on_written(&new);
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}

/// Queues the unbound claims of each pod that was added or has got a node, because they may wait for it.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl PodHandler {
    fn on_written(&self, pod: &PodClaims) {
        for key in pod.claim_keys() {
            let claim = self.0.claims.get(&key);
            if claim.is_ok_and(|claim| annotation(&claim, BIND_COMPLETED).is_none()) {
                self.0.queue.add(Key::Claim(key));
            }
        }
    }
}

impl EventHandler<PodClaims> for PodHandler {
    fn on_add(&mut self, pod: Arc<PodClaims>, _initial: InitialList) {
        self.on_written(&pod);
    }

    fn on_update(&mut self, old: Arc<PodClaims>, new: Arc<PodClaims>) {
        if old.node() != new.node() {
            self.on_written(&new);
        }
    }

    fn on_delete(&mut self, _deletion: Deletion<PodClaims>) {}
}
