//! Makes the volume of a claim larger, as the resizer of its driver would. The volume is simulated, so that no node
//! has to make a file system larger. Upstream: `external-resizer`.

use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use super::Controller;
use super::sync_volume::is_provisioned;
use crate::shared::error::SyncError;
use crate::shared::object::name;
use crate::shared::recorder::Reason;
use crate::shared::volume::{capacity, requested_size, size, spec};

const RESIZING: &str = "Resizing";

impl Controller {
    /// Gives a bound claim the size that it requests, if the claim has grown and its class lets volumes grow.
    pub(super) async fn expand(&self, claim: &DynamicObject, volume: &DynamicObject) -> Result<(), SyncError> {
        let has_grown = requested_size(claim) > size(&claim.data["status"]["capacity"]);
        let is_simulated = is_provisioned(volume) && spec(volume, "csi").is_null();
        if !(has_grown && is_simulated && self.may_grow(claim)) {
            return Ok(());
        }
        let wanted = &spec(claim, "resources")["requests"]["storage"];
        let begun = self.write_claim_status(claim, resizing(claim, wanted, &self.clock.now())).await?;
        let volume_name = name(&volume.metadata);
        let message = format!("External resizer is resizing volume {volume_name}");
        self.resizer.record(&begun.metadata, Reason::Resizing, message).await;
        if capacity(volume) < requested_size(claim) {
            let mut larger = volume.clone();
            larger.data["spec"]["capacity"]["storage"] = wanted.clone();
            self.write_volume(&larger).await?;
        }
        let done = self.write_claim_status(&begun, resized(&begun, wanted)).await?;
        let message = "Resize volume succeeded".to_owned();
        self.resizer.record(&done.metadata, Reason::VolumeResizeSuccessful, message).await;
        Ok(())
    }

    fn may_grow(&self, claim: &DynamicObject) -> bool {
        self.class_of(claim).is_some_and(|class| class.data["allowVolumeExpansion"] == true)
    }
}

/// Upstream: `markControllerResizeInProgress`.
fn resizing(claim: &DynamicObject, wanted: &Value, now: &str) -> Value {
    let mut status = without_condition(claim);
    let condition = json!({"type": RESIZING, "status": "True", "lastProbeTime": null, "lastTransitionTime": now});
    if let Some(conditions) = status["conditions"].as_array_mut() {
        conditions.push(condition);
    }
    status["allocatedResources"]["storage"] = wanted.clone();
    status["allocatedResourceStatuses"]["storage"] = "ControllerResizeInProgress".into();
    status
}

/// Upstream: `markOverallExpansionAsFinished`.
fn resized(claim: &DynamicObject, wanted: &Value) -> Value {
    let mut status = without_condition(claim);
    status["capacity"]["storage"] = wanted.clone();
    if let Some(fields) = status.as_object_mut() {
        fields.remove("allocatedResourceStatuses");
        if fields["conditions"].as_array().is_some_and(Vec::is_empty) {
            fields.remove("conditions");
        }
    }
    status
}

/// Returns the status of a claim with a list of conditions, and without the condition `Resizing`.
fn without_condition(claim: &DynamicObject) -> Value {
    let mut status = claim.data["status"].clone();
    let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    status["conditions"] = conditions.into_iter().filter(|condition| condition["type"] != RESIZING).collect();
    status
}
