//! Makes a volume for a claim, as the provisioner of its class would. The volume is simulated: it has a path on a node,
//! and nothing stores data there. Upstream: `provisionClaim`, `provisionClaimOperation`.

use kube_client::api::{DynamicObject, PostParams};
use serde_json::json;

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::object::uid;
use crate::shared::recorder::Reason;
use crate::shared::volume::{
    BOUND_BY_CONTROLLER, NO_PROVISIONER, PROVISIONED_BY, STORAGE_PROVISIONER, annotate, class, reference_to, spec,
    volume_mode,
};

impl Controller {
    /// Makes the volume of a claim, bound to it. The sync of the volume then finishes the binding.
    pub(super) async fn provision_claim(&self, key: &str, claim: &DynamicObject) -> Result<(), SyncError> {
        let found = self.class_of(claim);
        let provisioner = found.as_ref().and_then(|class| class.data["provisioner"].as_str()).unwrap_or_default();
        let (Some(found), false) = (&found, provisioner == NO_PROVISIONER) else {
            let message = match found {
                Some(_) => format!("no volume plugin matched name: {NO_PROVISIONER}"),
                None => format!("storageclass.storage.k8s.io {:?} not found", class(claim)),
            };
            self.record(key, claim, Reason::ProvisioningFailed, message).await;
            return Ok(());
        };
        let claim = self.set_provisioner(claim, provisioner).await?;
        let volume = self.new_volume(&claim, found, provisioner);
        match self.api_of_volumes().create(&PostParams::default(), &volume).await {
            Ok(_) => {}
            Err(kube_client::Error::Api(status)) if status.code == 409 => return Ok(()), // an earlier sync has made it
            Err(error) => {
                let message =
                    format!("Error creating provisioned PV object for claim {key}: {error}. Deleting the volume.");
                self.record(key, &claim, Reason::ProvisioningFailed, message).await;
                return Err(SyncError::refused(format!("create the volume of the claim {key}"))(error));
            }
        }
        let name = volume.metadata.name.unwrap_or_default();
        let message = format!("Successfully provisioned volume {name} using {provisioner}");
        self.record(key, &claim, Reason::ProvisioningSucceeded, message).await;
        Ok(())
    }

    /// Notes in a claim which provisioner makes its volume. Upstream: `setClaimProvisioner`.
    async fn set_provisioner(&self, claim: &DynamicObject, provisioner: &str) -> Result<DynamicObject, SyncError> {
        let mut new = claim.clone();
        let mut is_dirty = false;
        for key in STORAGE_PROVISIONER {
            is_dirty |= annotate(&mut new.metadata, key, provisioner);
        }
        if is_dirty { self.write_claim(&new).await } else { Ok(new) }
    }

    fn new_volume(&self, claim: &DynamicObject, of: &DynamicObject, provisioner: &str) -> DynamicObject {
        let name = format!("pvc-{}", uid(&claim.metadata));
        let mut fields = json!({
            "capacity": {"storage": spec(claim, "resources")["requests"]["storage"]},
            "accessModes": spec(claim, "accessModes"), "volumeMode": volume_mode(claim),
            "persistentVolumeReclaimPolicy": of.data["reclaimPolicy"], "storageClassName": class(claim),
            "claimRef": reference_to(&claim.metadata),
            "hostPath": {"path": format!("/var/lib/simulated-volumes/{name}"), "type": "DirectoryOrCreate"},
        });
        for (field, value) in [
            ("mountOptions", &of.data["mountOptions"]),
            ("volumeAttributesClassName", spec(claim, "volumeAttributesClassName")),
        ] {
            if !value.is_null() && value != "" {
                fields[field] = value.clone();
            }
        }
        let mut volume = DynamicObject::new(&name, &self.kind_of_volumes).data(json!({ "spec": fields }));
        annotate(&mut volume.metadata, BOUND_BY_CONTROLLER, "yes");
        annotate(&mut volume.metadata, PROVISIONED_BY, provisioner);
        volume
    }
}
