//! Finds the ReplicaSets of a Deployment, at the beginning of each sync. Upstream: `getReplicaSetsForDeployment`.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_selectors::LabelSelector;

use super::Controller;
use crate::shared::controller_ref_manager::ControllerRefManager;
use crate::shared::error::SyncError;
use kube_machinery::conventions::label_selector;

impl Controller {
    /// Returns the ReplicaSets of a Deployment, oldest first. Releases ReplicaSets that the selector no longer matches,
    /// and adopts matching ones that have no controller.
    pub(super) async fn claim(&self, owner: &DynamicObject) -> Result<Vec<Arc<DynamicObject>>, SyncError> {
        let mut selector = label_selector::read(&owner.data["spec"]["selector"].clone().into())?;
        if selector.is_everything() {
            selector = LabelSelector::nothing(); // an empty selector would claim all ReplicaSets
        }
        let manager = ControllerRefManager { client: &self.client, owner, kind: &self.kind, selector: &selector };
        let mut claimed = manager.claim(&self.sets_by_owner, &self.kind_of_sets, |_| true).await?;
        claimed.sort_by_cached_key(|set| creation_order(set));
        Ok(claimed)
    }
}

/// The sort key of ReplicaSets, from old to new. Upstream: `ReplicaSetsByCreationTimestamp`.
pub(super) fn creation_order(set: &DynamicObject) -> impl Ord + use<> {
    (set.metadata.creation_timestamp.as_ref().map(|time| time.0), set.metadata.name.clone())
}
