//! One sync of a claim. Upstream: `syncClaim`, `syncUnboundClaim`, `syncBoundClaim`.

use kube_client::api::DynamicObject;
use kube_selectors::LabelSelector;

use super::Controller;
use super::find_match::{Binding, best_match, unsatisfied};
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, uid};
use crate::shared::recorder::Reason;
use crate::shared::volume::{BIND_COMPLETED, claim_uid, class, is_bound_to, spec, text};

impl Controller {
    pub(super) async fn sync_claim(&self, key: &str) -> Result<(), SyncError> {
        self.claim_writes.wait_for(key, &self.claim_informer.reader()).await;
        let Ok(claim) = self.claims.get(key) else { return Ok(()) };
        if annotation(&claim, BIND_COMPLETED).is_some() {
            return self.sync_bound_claim(&claim).await;
        }
        match text(&claim, "volumeName") {
            "" => self.sync_unbound_claim(key, &claim).await,
            volume => self.sync_claim_of_volume(key, &claim, volume).await,
        }
    }

    /// Finds or makes a volume for a claim that names none.
    async fn sync_unbound_claim(&self, key: &str, claim: &DynamicObject) -> Result<(), SyncError> {
        let binding = if self.waits_for_first_consumer(claim) { Binding::Delayed } else { Binding::Now };
        let volumes = self.volumes.list(&LabelSelector::everything());
        if let Some(volume) = best_match(&volumes, claim, binding) {
            return self.bind(volume, claim).await;
        }
        if self.assign_default_class(claim).await? {
            return Ok(());
        }
        if binding == Binding::Delayed {
            self.record_wait(key, claim).await;
        } else if class(claim).is_empty() {
            let message = "no persistent volumes available for this claim and no storage class is set".to_owned();
            self.record(key, claim, Reason::FailedBinding, message).await;
        } else {
            return self.provision_claim(key, claim).await;
        }
        self.update_claim_status(claim, "Pending", None).await
    }

    /// Binds a claim to the volume that it names, if it can.
    async fn sync_claim_of_volume(&self, key: &str, claim: &DynamicObject, name: &str) -> Result<(), SyncError> {
        let Ok(volume) = self.volumes.get(name) else { return self.update_claim_status(claim, "Pending", None).await };
        let (reason, message) = if spec(&volume, "claimRef").is_null() {
            match unsatisfied(&volume, claim) {
                None => return self.bind(&volume, claim).await,
                Some(why) => (Reason::VolumeMismatch, format!("Cannot bind to requested volume {name:?}: {why}")),
            }
        } else if is_bound_to(&volume, &claim.metadata) {
            return self.bind(&volume, claim).await;
        } else {
            (Reason::FailedBinding, format!("volume {name:?} already bound to a different claim."))
        };
        self.record(key, claim, reason, message).await;
        self.update_claim_status(claim, "Pending", None).await
    }

    async fn sync_bound_claim(&self, claim: &DynamicObject) -> Result<(), SyncError> {
        let volume = text(claim, "volumeName");
        if volume.is_empty() {
            let message = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
            return self.lose_claim(claim, Reason::ClaimLost, message).await;
        }
        let Ok(volume) = self.volumes.get(volume) else {
            let message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
            return self.lose_claim(claim, Reason::ClaimLost, message).await;
        };
        if spec(&volume, "claimRef").is_null() || claim_uid(&volume) == uid(&claim.metadata) {
            self.bind(&volume, claim).await?;
            return self.expand(claim, &volume).await;
        }
        let message = "Two claims are bound to the same volume, this one is bound incorrectly";
        self.lose_claim(claim, Reason::ClaimMisbound, message).await
    }
}
