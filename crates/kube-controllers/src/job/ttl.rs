//! Cleans up after a finished Job: removes the finalizers of its pods, and deletes the Job after
//! `ttlSecondsAfterFinished`. Upstream: `pkg/controller/ttlafterfinished`, which is a controller of its own.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kube_client::api::{DeleteParams, Preconditions};

use super::pods;
use super::sync::JobSync;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name};

impl JobSync<'_> {
    /// Removes the finalizer from pods that still have one, and deletes the Job when its TTL is over.
    pub(super) async fn clean_up(&mut self) -> Result<(), SyncError> {
        for pod in self.pods.iter().filter(|pod| pods::is_tracked(&pod.metadata)) {
            self.controller.untrack(&self.job, pod).await?;
        }
        let metadata = &self.job.metadata;
        let Some(left) = self.lifetime_left().filter(|_| metadata.deletion_timestamp.is_none()) else { return Ok(()) };
        if !left.is_zero() {
            self.requeue_after(left);
            return Ok(());
        }
        // A new Job of the same name must stay.
        let same = Preconditions { uid: metadata.uid.clone(), resource_version: None };
        let how = DeleteParams::foreground().preconditions(same);
        match api(&self.controller.client, metadata, &self.controller.kind).delete(name(metadata), &how).await {
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => deleted.map(drop).map_err(SyncError::refused(format!("delete {}, which has ended", self.key))),
        }
    }

    /// Returns the time until the Job is deleted, or `None` if it has no TTL.
    fn lifetime_left(&self) -> Option<Duration> {
        let end = self.written.true_condition("Complete").or_else(|| self.written.true_condition("Failed"))?;
        let end: Timestamp = end.last_transition_time.as_ref()?.parse().ok()?;
        let last = end.checked_add(SignedDuration::from_secs(self.spec.ttl?)).ok()?;
        let left = last.duration_since(self.controller.clock.time());
        Some(Duration::try_from(left).unwrap_or_default())
    }
}
