//! The strategy `Recreate`: all old pods end before the first new pod is created, for applications that cannot run in
//! two versions at once. Upstream: `pkg/controller/deployment/recreate.go`.

use super::replica_sets::existing;
use super::sync::DeploymentSync;
use crate::shared::error::SyncError;
use crate::shared::object::uid;

impl DeploymentSync<'_> {
    /// Scales the old ReplicaSets down, waits until their pods are gone, and scales the new ReplicaSet up. Upstream:
    /// `rolloutRecreate`.
    pub(super) async fn recreate(&mut self) -> Result<(), SyncError> {
        let mut scaled = false;
        for index in self.active(self.old()) {
            scaled |= self.resize(index, 0).await?;
        }
        if scaled || self.old_pods_run() {
            return Ok(());
        }
        let new = match self.new {
            Some(new) => new,
            None => {
                self.create().await?;
                self.new.expect("it was just created")
            }
        };
        self.resize(new, self.spec.replicas).await?;
        if self.is_complete(&self.before) { self.clean_up().await } else { Ok(()) }
    }

    /// Returns true if a pod of an old ReplicaSet has not ended. Upstream: `oldPodsRunning`.
    fn old_pods_run(&self) -> bool {
        self.old().into_iter().any(|index| {
            let set = &self.sets[index];
            let pods = self.controller.pods_by_owner.get(uid(&set.metadata));
            existing(set) > 0 || pods.iter().any(|pod| !pod.has_ended())
        })
    }
}
