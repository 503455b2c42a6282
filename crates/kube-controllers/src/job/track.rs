//! Counts the pods of a Job that have succeeded or failed, each exactly once. Upstream:
//! `trackJobStatusAndRemoveFinalizers`.
//!
//! A finalizer keeps each pod until it is counted. A pod that has ended is first listed in
//! `status.uncountedTerminatedPods`, then it loses the finalizer, then the list entry turns into a count. A controller
//! that is stopped between two of these steps finds the state in the API and continues with the next step.

use std::collections::HashSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::status::Status;
use super::sync::JobSync;
use super::{indexes, pods};
use crate::shared::error::SyncError;

/// The largest number of pods that are noted at a time, because a status must not grow too large.
const MOST_UNCOUNTED: usize = 500;

/// Tells whether a sync ends the Job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Yes,
    No,
}

impl JobSync<'_> {
    /// Counts the pods that have ended. If the Job ends or is being deleted, all other pods lose their finalizer too;
    /// those of a failed Job count as failed.
    pub(super) async fn count_and_track(&mut self, ends: Ends) -> Result<(), SyncError> {
        self.count_active();
        // Count the pods that an earlier sync has noted and that have lost their finalizer since.
        let tracked: HashSet<String> = self.tracked().map(|pod| pods::uid(pod).to_owned()).collect();
        count(&mut self.status, |uid| !tracked.contains(uid));
        let fails = self.status.true_condition("FailureTarget").is_some();
        let everything = ends == Ends::Yes || self.job.metadata.deletion_timestamp.is_some();
        let released: Vec<Arc<Pod>> = self
            .tracked()
            .filter(|pod| everything || pods::has_succeeded(pod) || self.has_failed(pod))
            .take(MOST_UNCOUNTED)
            .cloned()
            .collect();
        // Counted before the pods are noted, because a noted pod is no longer new.
        let (succeeded, failed) = (self.newly_succeeded().count(), self.newly_failed().count());
        for pod in &released {
            self.note(pod, fails);
        }
        if self.spec.indexed {
            let done = self.done_indexes();
            self.status.succeeded = i64::try_from(done.len()).unwrap_or(i64::MAX);
            self.status.completed_indexes = indexes::write(&done);
        }
        self.write_status().await?;
        self.controller.backoffs.counted(self.key, succeeded, failed);
        for pod in &released {
            self.controller.untrack(&self.job, pod).await?;
        }
        let counted: HashSet<&str> = released.iter().map(|pod| pods::uid(pod)).collect();
        count(&mut self.status, |uid| counted.contains(uid));
        self.write_status().await?;
        if failed > 0 && ends == Ends::No {
            self.requeue_after(self.controller.backoffs.left(self.key));
        }
        Ok(())
    }

    /// Returns the pods that still have the finalizer.
    fn tracked(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.pods.iter().filter(|pod| pods::is_tracked(&pod.metadata))
    }

    /// Sets the counts of pods that have not ended.
    fn count_active(&mut self) {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.status.active = number(self.active.len());
        self.status.ready = Some(number(self.active.iter().filter(|pod| pods::is_ready(pod)).count()));
        self.status.terminating = Some(self.terminating);
    }

    /// Notes a pod in the status as ended and uncounted, unless it is noted already.
    fn note(&mut self, pod: &Pod, fails: bool) {
        let uid = pods::uid(pod).to_owned();
        let failed = self.has_failed(pod) || (fails && !pods::has_succeeded(pod));
        let uncounted = &mut self.status.uncounted_terminated_pods;
        if uncounted.succeeded.contains(&uid) || uncounted.failed.contains(&uid) {
            return;
        }
        if pods::has_succeeded(pod) {
            // Succeeded indexes are listed in the status, so their pods need no note.
            if !self.spec.indexed {
                uncounted.succeeded.push(uid);
            }
        } else if failed {
            uncounted.failed.push(uid);
        }
    }
}

/// Turns those list entries of `status.uncountedTerminatedPods` for which `is_counted` is true into counts.
fn count(status: &mut Status, is_counted: impl Fn(&str) -> bool) {
    let uncounted = &mut status.uncounted_terminated_pods;
    for (noted, total) in
        [(&mut uncounted.succeeded, &mut status.succeeded), (&mut uncounted.failed, &mut status.failed)]
    {
        let before = noted.len();
        noted.retain(|uid| !is_counted(uid));
        *total += i64::try_from(before - noted.len()).unwrap_or(i64::MAX);
    }
}
