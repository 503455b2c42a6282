//! The revision history of a Deployment: after a rollout, deletes the oldest ReplicaSets of earlier templates beyond
//! `revisionHistoryLimit`. The others stay, so `kubectl rollout undo` can return to their templates. Upstream:
//! `cleanupDeployment`.

use kube_client::api::DeleteParams;

use super::claim::creation_order;
use super::replica_sets::{existing, revision, wanted};
use super::sync::DeploymentSync;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, number};

impl DeploymentSync<'_> {
    /// Deletes the oldest ReplicaSets beyond the history limit, unless they have pods.
    pub(super) async fn clean_up(&mut self) -> Result<(), SyncError> {
        let Some(limit) = self.spec.history else { return Ok(()) };
        let mut old: Vec<_> = self.old().into_iter().map(|i| &self.sets[i]).collect();
        old.retain(|set| set.metadata.deletion_timestamp.is_none());
        let surplus = old.len().saturating_sub(usize::try_from(limit).unwrap_or_default());
        old.sort_by_cached_key(|set| (revision(set), creation_order(set)));
        let api = api(&self.controller.client, &self.deployment.metadata, &self.controller.kind_of_sets);
        for set in old.into_iter().take(surplus) {
            let seen = number(set, "/status/observedGeneration") >= set.metadata.generation.unwrap_or_default();
            if existing(set) != 0 || wanted(set) != 0 || !seen {
                continue; // it has pods, or its controller has not looked at it yet
            }
            match api.delete(name(&set.metadata), &DeleteParams::background()).await {
                Err(kube_client::Error::Api(status)) if status.code == 404 => {}
                deleted => {
                    drop(deleted.map_err(SyncError::refused(format!("delete an old ReplicaSet of {}", self.key)))?)
                }
            }
        }
        Ok(())
    }
}
