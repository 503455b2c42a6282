//! The PersistentVolumeClaims ("claims") of a StatefulSet's pods: creates them before their pod, and sets their owner
//! references by the retention policy, so the garbage collector deletes them with the pod, with the set, or never.
//! Upstream: `stateful_pod_control.go`, `updateClaimOwnerRefForSetAndPod`.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::{DynamicObject, Patch, PatchParams, PostParams};
use serde_json::json;

use super::identity::{claims, new_claim};
use super::sync::StatefulSetSync;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, namespace};

impl StatefulSetSync<'_> {
    /// Creates the missing claims of an ordinal. Fails if one of them is being deleted.
    pub(super) async fn create_claims(&self, ordinal: i64) -> Result<(), SyncError> {
        let controller = self.controller;
        let api = api(&controller.client, &self.set.metadata, &controller.kind_of_claims);
        for (claim, template) in claims(&self.set, ordinal) {
            match self.claim(&claim) {
                Some(existing) if existing.metadata.deletion_timestamp.is_some() => {
                    return Err(SyncError::Taken(claim));
                }
                Some(_) => continue,
                None => {}
            }
            let mut new = new_claim(&self.set, &claim, template, &controller.kind_of_claims);
            new.metadata.owner_references = self.owner(None, ordinal).map(|owner| vec![owner]);
            match api.create(&PostParams::default(), &new).await {
                Ok(created) => controller.claim_writes.wrote(self.key, created.metadata.resource_version),
                Err(kube_client::Error::Api(status)) if status.code == 409 => {} // it exists; the cache is late
                Err(error) => return Err(SyncError::refused(format!("create the claim {claim}"))(error)),
            }
        }
        Ok(())
    }

    /// Returns true if a claim of an ordinal is owned by an earlier pod, so it is deleted together with that pod.
    /// Upstream: `PodClaimIsStale`.
    pub(super) fn has_stale_claim(&self, ordinal: i64) -> bool {
        let pod = format!("{}-{ordinal}", name(&self.set.metadata));
        let is_stale = |claim: &DynamicObject| owners(claim).any(|owner| owner.kind == "Pod" && owner.name == pod);
        claims(&self.set, ordinal).filter_map(|(claim, _)| self.claim(&claim)).any(|claim| is_stale(&claim))
    }

    /// Sets the owner of a pod's claims according to the retention policy: the set, the pod, or none.
    pub(super) async fn update_claim_owners(&self, pod: &Pod, ordinal: i64) -> Result<(), SyncError> {
        let controller = self.controller;
        let (set, pod) = (&self.set.metadata, &pod.metadata);
        let wanted = self.owner(Some(pod), ordinal);
        for (claim, _) in claims(&self.set, ordinal) {
            let Some(existing) = self.claim(&claim) else { continue };
            let is_ours = |owner: &OwnerReference| [&set.uid, &pod.uid].contains(&&Some(owner.uid.clone()));
            let is_earlier = |owner: &OwnerReference| {
                let same = |kind: &str, of: &ObjectMeta| owner.kind == kind && owner.name == name(of);
                !is_ours(owner) && (same("StatefulSet", set) || same("Pod", pod))
            };
            let is_foreign = |owner: &OwnerReference| !is_ours(owner) && owner.controller == Some(true);
            if owners(&existing).any(is_earlier) || owners(&existing).any(is_foreign) {
                continue; // that owner decides about the claim
            }
            if owners(&existing).filter(|owner| is_ours(owner)).eq(&wanted) {
                continue;
            }
            let others = owners(&existing).filter(|owner| !is_ours(owner));
            let all: Vec<&OwnerReference> = others.chain(&wanted).collect();
            let metadata = json!({"resourceVersion": existing.metadata.resource_version, "ownerReferences": all});
            let patch = Patch::Merge(json!({ "metadata": metadata }));
            let api = api(&controller.client, &self.set.metadata, &controller.kind_of_claims);
            let changed = api.patch(&claim, &PatchParams::default(), &patch).await;
            let changed = changed.map_err(SyncError::refused(format!("change the owner of the claim {claim}")))?;
            controller.claim_writes.wrote(self.key, changed.metadata.resource_version);
        }
        Ok(())
    }

    /// Returns the owner with which the claims of an ordinal are to be deleted: the pod, if it is surplus and the
    /// policy deletes claims with their pod; otherwise the set, if the policy deletes claims with it; otherwise none.
    fn owner(&self, pod: Option<&ObjectMeta>, ordinal: i64) -> Option<OwnerReference> {
        let (policy, kept) = (self.spec.claim_retention, self.spec.has(ordinal));
        let reference = |api_version: &str, kind: &str, of: &ObjectMeta| OwnerReference {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            name: name(of).to_owned(),
            uid: of.uid.clone().unwrap_or_default(),
            controller: Some(true),
            block_owner_deletion: Some(true),
        };
        if policy.delete_with_pod && !kept {
            return pod.map(|pod| reference("v1", "Pod", pod));
        }
        policy.delete_with_set.then(|| reference("apps/v1", "StatefulSet", &self.set.metadata))
    }

    fn claim(&self, claim: &str) -> Option<std::sync::Arc<DynamicObject>> {
        self.controller.claims.namespace(namespace(&self.set.metadata)).get(claim).ok()
    }
}

fn owners(claim: &DynamicObject) -> impl Iterator<Item = &OwnerReference> {
    claim.metadata.owner_references.iter().flatten()
}
