//! One sync of a volume. Upstream: `syncVolume`.

use std::sync::Arc;

use kube_client::Api;
use kube_client::api::DynamicObject;

use super::{Controller, Key};
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, name, uid};
use crate::shared::recorder::Reason;
use crate::shared::volume::{PROVISIONED_BY, claim_key, claim_uid, phase, text, volume_mode};

impl Controller {
    pub(super) async fn sync_volume(&self, key: &str) -> Result<(), SyncError> {
        self.volume_writes.wait_for(key, &self.volume_informer.reader()).await;
        let Ok(volume) = self.volumes.get(key) else { return Ok(()) };
        let claim_key = claim_key(&volume).filter(|_| !claim_uid(&volume).is_empty());
        let Some(claim_key) = claim_key else {
            return self.update_volume_phase((*volume).clone(), "Available", "").await.map(drop);
        };
        let Some(claim) = self.claim_of(&volume, &claim_key).await? else {
            return self.release(&volume).await;
        };
        match text(&claim, "volumeName") {
            "" => {
                self.sync_volume_of_unbound_claim(&volume, &claim, claim_key).await;
                Ok(())
            }
            bound if bound == key => self.update_volume_phase((*volume).clone(), "Bound", "").await.map(drop),
            _ if is_provisioned(&volume) && text(&volume, "persistentVolumeReclaimPolicy") == "Delete" => {
                self.release(&volume).await // the claim was bound to another volume, so this one is not needed
            }
            _ => self.unbind_volume(&volume).await,
        }
    }

    /// Returns the claim of a volume. If the cache does not have it, the server is asked, because the volume may be
    /// newer than the cache, and must not be deleted then.
    async fn claim_of(&self, volume: &DynamicObject, key: &str) -> Result<Option<Arc<DynamicObject>>, SyncError> {
        let is_it = |claim: &DynamicObject| uid(&claim.metadata) == claim_uid(volume);
        if let Some(claim) = self.claims.get(key).ok().filter(|claim| is_it(claim)) {
            return Ok(Some(claim));
        }
        if matches!(phase(volume), "Released" | "Failed") {
            return Ok(None);
        }
        let (namespace, name) = key.split_once('/').unwrap_or_default();
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &self.kind_of_claims);
        let claim = api.get_opt(name).await.map_err(SyncError::refused(format!("read the claim {key}")))?;
        Ok(claim.filter(is_it).map(Arc::new))
    }

    /// Lets the sync of the claim finish the binding, unless the volume cannot serve the claim.
    async fn sync_volume_of_unbound_claim(&self, volume: &DynamicObject, claim: &DynamicObject, key: String) {
        if volume_mode(volume) == volume_mode(claim) {
            return self.queue.add(Key::Claim(key));
        }
        let (volume_name, claim_name) = (name(&volume.metadata), name(&claim.metadata));
        let message = format!(
            "Cannot bind PersistentVolume to requested PersistentVolumeClaim {claim_name:?} due to incompatible \
             volumeMode."
        );
        self.volume_recorder.record(&volume.metadata, Reason::VolumeMismatch, message).await;
        let message = format!(
            "Cannot bind PersistentVolume {volume_name:?} to requested PersistentVolumeClaim due to incompatible \
             volumeMode."
        );
        self.record(&key, claim, Reason::VolumeMismatch, message).await;
    }
}

/// Returns true if a provisioner has made the volume.
pub(super) fn is_provisioned(volume: &DynamicObject) -> bool {
    annotation(volume, PROVISIONED_BY).is_some()
}
