//! Binds a claim and a volume to each other, in this order: the volume, its phase, the claim, its status. After an error,
//! a later sync finishes the binding. Upstream: `bind`, `unbindVolume`.

use kube_client::api::{DynamicObject, PostParams};
use kube_informers::cache::meta_namespace_key;
use serde_json::{Value, json};

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, name, uid};
use crate::shared::volume::{
    BIND_COMPLETED, BOUND_BY_CONTROLLER, annotate, claim_uid, is_bound_to, reference_to, text,
};

impl Controller {
    pub(super) async fn bind(&self, volume: &DynamicObject, claim: &DynamicObject) -> Result<(), SyncError> {
        let volume = self.bind_volume_to_claim(volume, claim).await?;
        let volume = self.update_volume_phase(volume, "Bound", "").await?;
        let claim = self.bind_claim_to_volume(claim, &volume).await?;
        self.update_claim_status(&claim, "Bound", Some(&volume)).await?;
        self.said.forget(&meta_namespace_key(&claim));
        Ok(())
    }

    /// Upstream: `bindVolumeToClaim`, `GetBindVolumeToClaim`.
    async fn bind_volume_to_claim(
        &self,
        volume: &DynamicObject,
        claim: &DynamicObject,
    ) -> Result<DynamicObject, SyncError> {
        let mut new = volume.clone();
        let is_reserved = is_bound_to(volume, &claim.metadata);
        let mut is_dirty = false;
        if !is_reserved || claim_uid(volume) != uid(&claim.metadata) {
            new.data["spec"]["claimRef"] = reference_to(&claim.metadata);
            is_dirty = true;
        }
        if !is_reserved {
            is_dirty |= annotate(&mut new.metadata, BOUND_BY_CONTROLLER, "yes");
        }
        if is_dirty { self.write_volume(&new).await } else { Ok(new) }
    }

    async fn bind_claim_to_volume(
        &self,
        claim: &DynamicObject,
        volume: &DynamicObject,
    ) -> Result<DynamicObject, SyncError> {
        let mut new = claim.clone();
        let mut is_dirty = false;
        if text(claim, "volumeName") != name(&volume.metadata) {
            new.data["spec"]["volumeName"] = json!(volume.metadata.name);
            annotate(&mut new.metadata, BOUND_BY_CONTROLLER, "yes");
            is_dirty = true;
        }
        is_dirty |= annotate(&mut new.metadata, BIND_COMPLETED, "yes");
        if is_dirty { self.write_claim(&new).await } else { Ok(new) }
    }

    /// Makes a volume available again. A user's reservation stays, without the uid of the earlier claim.
    pub(super) async fn unbind_volume(&self, volume: &DynamicObject) -> Result<(), SyncError> {
        let mut new = volume.clone();
        if annotation(volume, BOUND_BY_CONTROLLER).is_some() {
            new.data["spec"]["claimRef"] = Value::Null;
            new.metadata.annotations.get_or_insert_default().remove(BOUND_BY_CONTROLLER);
        } else if let Some(claim) = new.data["spec"]["claimRef"].as_object_mut() {
            claim.remove("uid");
        }
        let written = self.write_volume(&new).await?;
        self.update_volume_phase(written, "Available", "").await.map(drop)
    }

    pub(super) async fn write_volume(&self, new: &DynamicObject) -> Result<DynamicObject, SyncError> {
        let volume = name(&new.metadata);
        let written = self.api_of_volumes().replace(volume, &PostParams::default(), new).await;
        let written = written.map_err(SyncError::refused(format!("write the volume {volume}")))?;
        self.volume_writes.wrote(volume, written.metadata.resource_version.clone());
        Ok(written)
    }

    pub(super) async fn write_claim(&self, new: &DynamicObject) -> Result<DynamicObject, SyncError> {
        let (key, api) = (meta_namespace_key(new), self.api_of_claims(&new.metadata));
        let written = api.replace(name(&new.metadata), &PostParams::default(), new).await;
        let written = written.map_err(SyncError::refused(format!("write the claim {key}")))?;
        self.claim_writes.wrote(&key, written.metadata.resource_version.clone());
        Ok(written)
    }
}
