//! The strategy `RollingUpdate`: replaces old pods by new ones step by step, within `maxSurge` and `maxUnavailable`.
//! Each sync does one step, and the pods that it starts or ends cause the next sync. Upstream:
//! `pkg/controller/deployment/rolling.go`.

use super::replica_sets::{available, sum, wanted};
use super::sync::DeploymentSync;
use crate::shared::error::SyncError;

impl DeploymentSync<'_> {
    /// Does the next step: scales the new ReplicaSet up to the size that `maxSurge` allows now, or else the old ones
    /// down, or else, if the update is complete, cleans up the history. Upstream: `rolloutRolling`.
    pub(super) async fn roll(&mut self) -> Result<(), SyncError> {
        let new_index = match self.new {
            Some(index) => index,
            None => {
                self.create().await?;
                self.new.expect("it was just created")
            }
        };
        let share = self.share_of_new().min(self.spec.replicas);
        if self.resize(new_index, share).await? || self.scale_down_old(new_index).await? {
            return Ok(());
        }
        if self.is_complete(&self.before) { self.clean_up().await } else { Ok(()) }
    }

    /// Scales old ReplicaSets down, unavailable pods first, and keeps `spec.replicas - maxUnavailable` pods available.
    /// Returns true if it removed a pod. Upstream: `reconcileOldReplicaSets`.
    async fn scale_down_old(&mut self, new_index: usize) -> Result<bool, SyncError> {
        let old = self.active(self.old());
        if old.is_empty() {
            return Ok(false);
        }
        let least = self.spec.least_available();
        let unavailable_new = wanted(&self.sets[new_index]) - available(&self.sets[new_index]);
        // Old pods may go only if enough pods are left without the new pods that are not available yet: those may never
        // become available.
        let removable_total = sum(&self.sets, wanted) - least - unavailable_new;
        if removable_total <= 0 {
            return Ok(false);
        }
        // First the unavailable old pods. Their removal costs no availability.
        let removed_unavailable = self.remove_pods(&old, removable_total, |set| wanted(set) - available(set)).await?;
        // Then available old pods, but only those beyond the number that must stay available.
        let still_active = self.active(old.iter().copied());
        let available_pods = still_active.iter().chain([&new_index]).map(|i| available(&self.sets[*i])).sum::<i64>();
        let removed_available = self.remove_pods(&still_active, available_pods - least, wanted).await?;
        Ok(removed_unavailable + removed_available > 0)
    }

    /// Scales these ReplicaSets down, oldest first, by at most `limit` pods in all, and each by at most
    /// `removable(set)` pods. Returns the number of pods removed. Upstream: `cleanupUnhealthyReplicas`,
    /// `scaleDownOldReplicaSetsForRollingUpdate`.
    async fn remove_pods(
        &mut self,
        indexes: &[usize],
        limit: i64,
        removable: fn(&kube_client::api::DynamicObject) -> i64,
    ) -> Result<i64, SyncError> {
        let mut removed = 0;
        for index in indexes {
            let set = &self.sets[*index];
            let count = removable(set).min(limit - removed).min(wanted(set));
            if count > 0 {
                let left = wanted(set) - count;
                self.resize(*index, left).await?;
                removed += count;
            }
        }
        Ok(removed)
    }
}
