//! One sync of a claim. Upstream: `processPVC`.

use kube_client::Api;
use kube_client::api::{DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};

use super::{Controller, FINALIZER, unused};
use crate::shared::error::SyncError;
use crate::shared::finalizers::{self, is_deletion_candidate, needs_finalizer};
use crate::shared::live_list::live_list;
use crate::shared::object::{api, name, namespace};
use crate::shared::pod_claims::PodClaims;

impl Controller {
    pub(super) async fn sync_claim(&self, key: &str) -> Result<(), SyncError> {
        let Ok(claim) = self.claims.get(key) else { return Ok(()) };
        let (metadata, api) = (&claim.metadata, api(&self.client, &claim.metadata, &self.kind));
        if metadata.deletion_timestamp.is_none() && claim.data["status"]["phase"] == "Bound" {
            let is_used = self.is_cached(key, |pod| !pod.is_terminated && pod.uses(metadata));
            if let Some(conditions) = unused::updated(&claim, is_used, &self.clock.now()) {
                return self.write_conditions(&api, &claim, conditions).await; // its event queues the claim again
            }
        }
        if is_deletion_candidate(metadata, FINALIZER) && !self.is_held(key, &claim).await? {
            return finalizers::remove(&api, metadata, FINALIZER).await;
        }
        if needs_finalizer(metadata, FINALIZER) {
            return finalizers::add(&api, metadata, FINALIZER).await;
        }
        Ok(())
    }

    /// Returns true if a pod may use the claim. If the cache has no such pod, the server decides, because the cache may
    /// be late. Upstream: `isBeingUsedWith`.
    async fn is_held(&self, key: &str, claim: &DynamicObject) -> Result<bool, SyncError> {
        if self.is_cached(key, |pod| pod.holds(&claim.metadata)) {
            return Ok(true);
        }
        let pods = live_list::<PodClaims>(&self.client, &self.kind_of_pods, namespace(&claim.metadata)).await?;
        Ok(pods.iter().any(|pod| pod.holds(&claim.metadata)))
    }

    fn is_cached(&self, claim: &str, fits: impl Fn(&PodClaims) -> bool) -> bool {
        self.pods.get(claim).iter().any(|pod| fits(pod))
    }

    async fn write_conditions(
        &self,
        api: &Api<DynamicObject>,
        claim: &DynamicObject,
        conditions: Value,
    ) -> Result<(), SyncError> {
        let metadata = json!({"resourceVersion": claim.metadata.resource_version});
        let patch = Patch::Merge(json!({"metadata": metadata, "status": {"conditions": conditions}}));
        let name = name(&claim.metadata);
        let written = api.patch_status(name, &PatchParams::default(), &patch).await;
        written.map(drop).map_err(SyncError::refused(format!("write the condition Unused of {name}")))
    }
}
