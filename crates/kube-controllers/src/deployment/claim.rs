//! Decides which ReplicaSets belong to a Deployment: adopts ReplicaSets that its selector matches and that have no
//! controller, and releases ReplicaSets that it no longer matches. Each sync begins with that. Upstream:
//! `ReplicaSetControllerRefManager` in `pkg/controller/controller_ref_manager.go`.

use std::sync::Arc;

use kube_client::api::{DynamicObject, Patch, PatchParams};
use kube_selectors::{BadSelector, LabelSelector};
use serde_json::{Value, json};

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::object::{name, namespace, orphans_of, owned_by, uid};
use kube_machinery::conventions::label_selector;

fn selector(deployment: &DynamicObject) -> Result<LabelSelector, BadSelector> {
    let selector = label_selector::read(&deployment.data["spec"]["selector"].clone().into())?;
    // A selector that matches everything would claim the ReplicaSets of all Deployments, so it matches nothing here.
    Ok(if selector.is_everything() { LabelSelector::nothing() } else { selector })
}

impl Controller {
    /// Returns the ReplicaSets of a Deployment, oldest first. Releases ReplicaSets that the selector no longer matches,
    /// and adopts matching ones that have no controller.
    pub(super) async fn claim(&self, deployment: &DynamicObject) -> Result<Vec<Arc<DynamicObject>>, SyncError> {
        let selector = selector(deployment)?;
        let metadata = &deployment.metadata;
        let going = metadata.deletion_timestamp.is_some();
        let selected = |set: &DynamicObject| selector.matches(set.metadata.labels.as_ref());
        let mut claimed = Vec::new();
        for set in self.sets_by_owner.get(uid(metadata)).iter() {
            if selected(set) {
                claimed.push(set.clone());
            } else if !going {
                let no_owner = json!([{"$patch": "delete", "uid": metadata.uid}]);
                self.change_owners(deployment, set, no_owner).await?;
            }
        }
        let mut orphans = Vec::new();
        for set in self.sets_by_owner.get(&orphans_of(namespace(metadata))).iter() {
            if !going && selected(set) && set.metadata.deletion_timestamp.is_none() {
                orphans.push(set.clone());
            }
        }
        if !orphans.is_empty() {
            self.check_alive(deployment).await?;
        }
        for set in orphans {
            let owner = owned_by(metadata, &self.kind);
            claimed.extend(self.change_owners(deployment, &set, owner).await?.map(Arc::new));
        }
        claimed.sort_by_cached_key(|set| age(set));
        Ok(claimed)
    }

    /// Asks the API server whether the Deployment still exists, because the cache may be stale, and a deleted
    /// Deployment must not adopt anything.
    async fn check_alive(&self, deployment: &DynamicObject) -> Result<(), SyncError> {
        let name = name(&deployment.metadata);
        let fresh = self.api(deployment, &self.kind).get(name).await;
        let fresh = fresh.map_err(SyncError::refused(format!("look at {name} again")))?.metadata;
        if fresh.uid != deployment.metadata.uid || fresh.deletion_timestamp.is_some() {
            return Err(SyncError::Gone(name.to_owned()));
        }
        Ok(())
    }

    /// Patches the owner references of a ReplicaSet. Returns the changed ReplicaSet, or `None` if it is gone.
    async fn change_owners(
        &self,
        deployment: &DynamicObject,
        set: &DynamicObject,
        owners: Value,
    ) -> Result<Option<DynamicObject>, SyncError> {
        let patch = Patch::Strategic(json!({"metadata": {"uid": set.metadata.uid, "ownerReferences": owners}}));
        let api = self.api(deployment, &self.kind_of_sets);
        match api.patch(name(&set.metadata), &PatchParams::default(), &patch).await {
            Ok(changed) => Ok(Some(changed)),
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(None),
            Err(error) => Err(SyncError::refused("change the owner of a ReplicaSet")(error)),
        }
    }
}

/// The sort key of ReplicaSets, from old to new. Upstream: `ReplicaSetsByCreationTimestamp`.
pub(super) fn age(set: &DynamicObject) -> impl Ord + use<> {
    (set.metadata.creation_timestamp.as_ref().map(|time| time.0), set.metadata.name.clone())
}
