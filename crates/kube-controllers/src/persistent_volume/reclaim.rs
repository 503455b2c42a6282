//! Releases the volume of a deleted claim, and does with it what its reclaim policy says. Upstream: `reclaimVolume`,
//! `deleteVolumeOperation`.

use kube_client::api::{DeleteParams, DynamicObject, Preconditions};

use super::Controller;
use super::sync_volume::is_provisioned;
use crate::shared::error::SyncError;
use crate::shared::object::name;
use crate::shared::recorder::Reason;
use crate::shared::volume::{phase, spec, text};

impl Controller {
    pub(super) async fn release(&self, volume: &DynamicObject) -> Result<(), SyncError> {
        let volume = match phase(volume) {
            "Released" | "Failed" => volume.clone(),
            _ => self.update_volume_phase(volume.clone(), "Released", "").await?,
        };
        match text(&volume, "persistentVolumeReclaimPolicy") {
            "Delete" => self.delete_volume(volume).await,
            "Recycle" => {
                self.volume_recorder
                    .record(&volume.metadata, Reason::VolumeRecycled, "Volume recycled".to_owned())
                    .await;
                self.unbind_volume(&volume).await
            }
            _ => Ok(()), // the volume is kept for an administrator
        }
    }

    /// Deletes a volume that a provisioner has made. A volume of another driver waits until that driver deletes it. A
    /// volume of a type that cannot be deleted gets the phase `Failed`.
    async fn delete_volume(&self, volume: DynamicObject) -> Result<(), SyncError> {
        let name = name(&volume.metadata).to_owned();
        if is_provisioned(&volume) {
            return self.delete(&volume, &name).await;
        }
        if !spec(&volume, "csi").is_null() || phase(&volume) == "Failed" {
            return Ok(()); // another driver deletes it, or deleting it has failed already
        }
        let why =
            format!("error getting deleter volume plugin for volume {name:?}: no deletable volume plugin matched");
        let failed = self.update_volume_phase(volume, "Failed", &why).await?;
        self.volume_recorder.record(&failed.metadata, Reason::VolumeFailedDelete, why).await;
        Ok(())
    }

    async fn delete(&self, volume: &DynamicObject, name: &str) -> Result<(), SyncError> {
        if volume.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let preconditions = Preconditions { uid: volume.metadata.uid.clone(), resource_version: None };
        let params = DeleteParams::default().preconditions(preconditions);
        match self.api_of_volumes().delete(name, &params).await {
            Err(kube_client::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()), // it is gone already
            deleted => deleted.map(drop).map_err(SyncError::refused(format!("delete the volume {name}"))),
        }
    }
}
