//! Decides whether a Job has failed or is complete, and writes that into its conditions: first an announcement, and the
//! final condition once all pods are counted and none is terminating. Upstream: `syncJob`, `enactJobFinished`.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::pods;
use super::status::Status;
use super::sync::JobSync;
use crate::shared::error::SyncError;
use crate::shared::recorder::Reason;

/// The decision that a Job ends, as a success or as a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// The condition `SuccessCriteriaMet` or `FailureTarget`, which is set before the pods are counted.
    target: &'static str,
    /// The condition `Complete` or `Failed`, which is set after all pods are counted.
    end: &'static str,
    reason: String,
    message: String,
}

impl Verdict {
    fn failure(reason: &str, message: &str) -> Self {
        Self { target: "FailureTarget", end: "Failed", reason: reason.to_owned(), message: message.to_owned() }
    }

    fn success(reason: &str, message: &str) -> Self {
        Self { target: "SuccessCriteriaMet", end: "Complete", reason: reason.to_owned(), message: message.to_owned() }
    }

    /// Sets the condition that announces the end of the Job.
    pub(super) fn announce(&self, status: &mut Status, now: &str) {
        status.set(self.target, true, &self.reason, &self.message, now);
    }

    fn is_failure(&self) -> bool {
        self.end == "Failed"
    }
}

impl JobSync<'_> {
    /// Returns the verdict that was announced already, or a failure: too many failed pods or restarts, or a missed
    /// deadline. Without a verdict, queues the Job again at its deadline.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        if let Some(met) = self.status.true_condition("SuccessCriteriaMet") {
            return Some(Verdict::success(&met.reason, &met.message));
        }
        if let Some(target) = self.status.true_condition("FailureTarget") {
            return Some(Verdict::failure(&target.reason, &target.message));
        }
        if self.failed() > self.spec.backoff_limit || self.restarts_too_often() {
            return Some(Verdict::failure("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
        }
        let left = self.time_left()?;
        if left.is_zero() {
            return Some(Verdict::failure("DeadlineExceeded", "Job was active longer than specified deadline"));
        }
        self.requeue_after(left);
        None
    }

    /// Returns the success of a Job if enough pods have succeeded and none is active.
    pub(super) fn completion(&self) -> Option<Verdict> {
        let enough = self.spec.completions.map_or(self.succeeded() > 0, |wanted| self.succeeded() >= wanted);
        let complete = enough && self.active.is_empty();
        complete.then(|| Verdict::success("CompletionsReached", "Reached expected number of succeeded pods"))
    }

    /// Returns true if failed containers were restarted in their pods as often as the limit of failures allows.
    /// Upstream: `pastBackoffLimitOnFailure`.
    fn restarts_too_often(&self) -> bool {
        let living = self.pods.iter().filter(|pod| !pods::has_ended(pod));
        let restarts: i64 = living.map(|pod| pods::restarts(pod)).sum();
        self.spec.restarts && restarts >= self.spec.backoff_limit.max(1)
    }

    /// Returns the time until the Job's deadline, or `None` if it has none.
    fn time_left(&self) -> Option<Duration> {
        let deadline = self.spec.active_deadline.filter(|_| !self.spec.suspended)?;
        let start: Timestamp = self.status.start_time.as_ref()?.parse().ok()?;
        let end = start.checked_add(SignedDuration::from_secs(deadline)).ok()?;
        let left = end.duration_since(self.controller.clock.time());
        Some(Duration::try_from(left).unwrap_or_default())
    }

    /// Sets the final condition and writes an Event, once every pod is counted and none is terminating.
    pub(super) async fn finish(&mut self, verdict: &Verdict) -> Result<(), SyncError> {
        let uncounted = &self.status.uncounted_terminated_pods;
        let counted = uncounted.succeeded.is_empty() && uncounted.failed.is_empty();
        if !counted || self.terminating > 0 {
            return Ok(());
        }
        let now = self.controller.clock.now();
        self.status.set(verdict.end, true, &verdict.reason, &verdict.message, &now);
        if !verdict.is_failure() {
            self.status.completion_time = Some(now);
        }
        self.write_status().await?;
        let (reason, message) = match verdict.reason.as_str() {
            "BackoffLimitExceeded" => (Reason::BackoffLimitExceeded, verdict.message.clone()),
            "DeadlineExceeded" => (Reason::DeadlineExceeded, verdict.message.clone()),
            _ => (Reason::Completed, "Job completed".to_owned()),
        };
        self.record(reason, message).await;
        Ok(())
    }
}
