//! Writes the phases of claims and volumes, and the Events about them. Upstream: `updateClaimStatus`,
//! `updateVolumePhase`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::{DynamicObject, PostParams};
use kube_informers::cache::meta_namespace_key;
use serde_json::{Value, json};

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name};
use crate::shared::recorder::Reason;
use crate::shared::volume::{phase, size, spec};

impl Controller {
    pub(super) fn api_of_claims(&self, claim: &ObjectMeta) -> Api<DynamicObject> {
        api(&self.client, claim, &self.kind_of_claims)
    }

    pub(super) fn api_of_volumes(&self) -> Api<DynamicObject> {
        Api::all_with(self.client.clone(), &self.kind_of_volumes)
    }

    /// Writes an Event about a claim, unless the last Event about the claim was the same.
    pub(super) async fn record(&self, key: &str, claim: &DynamicObject, reason: Reason, message: String) {
        if self.said.is_news(key, &format!("{reason:?} {message}")) {
            self.claim_recorder.record(&claim.metadata, reason, message).await;
        }
    }

    /// Writes the phase of a claim, and the fields that it copies from its volume.
    pub(super) async fn update_claim_status(
        &self,
        claim: &DynamicObject,
        new_phase: &str,
        volume: Option<&DynamicObject>,
    ) -> Result<(), SyncError> {
        let status = claim_status(claim, new_phase, volume);
        if status == claim.data["status"] {
            return Ok(());
        }
        self.write_claim_status(claim, status).await.map(drop)
    }

    /// Replaces the status of a claim. Returns the claim with it.
    pub(super) async fn write_claim_status(
        &self,
        claim: &DynamicObject,
        status: Value,
    ) -> Result<DynamicObject, SyncError> {
        let mut new = claim.clone();
        new.data["status"] = status;
        let (key, api) = (meta_namespace_key(claim), self.api_of_claims(&claim.metadata));
        let written = api.replace_status(name(&claim.metadata), &PostParams::default(), &new).await;
        let written = written.map_err(SyncError::refused(format!("write the status of the claim {key}")))?;
        self.claim_writes.wrote(&key, written.metadata.resource_version.clone());
        Ok(written)
    }

    /// Marks a claim as lost, with an Event the first time. Upstream: `updateClaimStatusWithEvent`.
    pub(super) async fn lose_claim(
        &self,
        claim: &DynamicObject,
        reason: Reason,
        message: &str,
    ) -> Result<(), SyncError> {
        if phase(claim) == "Lost" {
            return Ok(());
        }
        self.update_claim_status(claim, "Lost", None).await?;
        self.claim_recorder.record(&claim.metadata, reason, message.to_owned()).await;
        Ok(())
    }

    /// Writes the phase of a volume. Returns the volume with it.
    pub(super) async fn update_volume_phase(
        &self,
        volume: DynamicObject,
        new_phase: &str,
        message: &str,
    ) -> Result<DynamicObject, SyncError> {
        if phase(&volume) == new_phase {
            return Ok(volume);
        }
        let mut new = volume;
        new.data["status"]["phase"] = json!(new_phase);
        new.data["status"]["message"] = if message.is_empty() { Value::Null } else { json!(message) };
        let volume = name(&new.metadata).to_owned();
        let written = self.api_of_volumes().replace_status(&volume, &PostParams::default(), &new).await;
        let written = written.map_err(SyncError::refused(format!("write the phase of the volume {volume}")))?;
        self.volume_writes.wrote(&volume, written.metadata.resource_version.clone());
        Ok(written)
    }
}

/// Returns the status of a claim in a phase. Only a change of the phase copies the volume's capacity, because a later
/// capacity is the size of the file system, which may differ.
fn claim_status(claim: &DynamicObject, new_phase: &str, volume: Option<&DynamicObject>) -> Value {
    const CLASS: &str = "currentVolumeAttributesClassName";
    let mut status = claim.data["status"].clone();
    let is_change = phase(claim) != new_phase;
    status["phase"] = json!(new_phase);
    let Some(fields) = status.as_object_mut() else { return status };
    let Some(volume) = volume else {
        ["accessModes", "capacity", CLASS].iter().for_each(|field| drop(fields.remove(*field)));
        return status;
    };
    fields.insert("accessModes".into(), spec(volume, "accessModes").clone());
    let capacity = spec(volume, "capacity");
    if is_change && size(&claim.data["status"]["capacity"]) != size(capacity) {
        fields.insert("capacity".into(), capacity.clone());
    }
    let class = spec(volume, "volumeAttributesClassName");
    if is_change && phase(claim) == "Pending" && !class.is_null() {
        fields.insert(CLASS.into(), class.clone());
    }
    status
}
