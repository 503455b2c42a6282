//! The strategy `RollingUpdate`: new pods replace old ones step by step. Upstream:
//! `pkg/controller/deployment/rolling.go`.

use super::replica_sets::{available, sum, wanted};
use super::sync::DeploymentSync;
use crate::shared::error::SyncError;

impl DeploymentSync<'_> {
    /// Scales the new ReplicaSet up. If that changes nothing, scales the old ReplicaSets down. Upstream:
    /// `rolloutRolling`.
    pub(super) async fn roll(&mut self) -> Result<(), SyncError> {
        let new = match self.new {
            Some(new) => new,
            None => {
                self.create().await?;
                self.new.expect("it was just created")
            }
        };
        let share = self.share_of_new().min(self.spec.replicas);
        if self.resize(new, share).await? || self.scale_down_old(new).await? {
            return Ok(());
        }
        if self.is_complete(&self.before) { self.clean_up().await } else { Ok(()) }
    }

    /// Scales old ReplicaSets down as far as availability allows, unavailable pods first. Returns true if a pod was
    /// taken away. Upstream: `reconcileOldReplicaSets`.
    async fn scale_down_old(&mut self, new: usize) -> Result<bool, SyncError> {
        let old = self.active(self.old());
        if old.is_empty() {
            return Ok(false);
        }
        let least = self.spec.least_available();
        let unavailable_new = wanted(&self.sets[new]) - available(&self.sets[new]);
        let spare = sum(&self.sets, wanted) - least - unavailable_new;
        if spare <= 0 {
            return Ok(false);
        }
        let unhealthy = self.take(&old, spare, |set| wanted(set) - available(set)).await?;
        let taken = self.active(old.iter().copied());
        let available_pods = taken.iter().chain([&new]).map(|i| available(&self.sets[*i])).sum::<i64>();
        let healthy = self.take(&taken, available_pods - least, wanted).await?;
        Ok(unhealthy + healthy > 0)
    }

    /// Takes at most `spare` pods away from these ReplicaSets, oldest first, and at most `of(set)` from each. Returns
    /// the number of pods taken. Upstream: `cleanupUnhealthyReplicas`, `scaleDownOldReplicaSetsForRollingUpdate`.
    async fn take(
        &mut self,
        indexes: &[usize],
        spare: i64,
        of: fn(&kube_client::api::DynamicObject) -> i64,
    ) -> Result<i64, SyncError> {
        let mut taken = 0;
        for index in indexes {
            let set = &self.sets[*index];
            let count = of(set).min(spare - taken).min(wanted(set));
            if count > 0 {
                let left = wanted(set) - count;
                self.resize(*index, left).await?;
                taken += count;
            }
        }
        Ok(taken)
    }
}
