//! One sync of a Job, which is one comparison of the Job with its pods: holds the state, runs the steps in their order,
//! and writes the status. Upstream: `syncJob`.

use std::collections::BTreeSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::json;

use super::spec::Spec;
use super::status::Status;
use super::track::Ends;
use super::{Controller, Key, indexes, pods};
use crate::shared::error::SyncError;
use crate::shared::object::api;
use crate::shared::recorder::Reason;
use crate::shared::status;

/// The state of one sync of a Job. A pod is *tracked* while it has the Job's finalizer, which it keeps until the status
/// counts it.
pub(super) struct JobSync<'a> {
    pub(super) controller: &'a Controller,
    pub(super) key: &'a str,
    pub(super) job: Arc<DynamicObject>,
    pub(super) spec: Spec,
    pub(super) pods: Vec<Arc<Pod>>,
    /// The status as it was written last; `status` is the one to write next.
    pub(super) written: Status,
    pub(super) status: Status,
    /// The pods that have not ended and are not being deleted.
    pub(super) active: Vec<Arc<Pod>>,
    /// The number of pods that are being deleted and have not ended.
    pub(super) terminating: i64,
}

impl<'a> JobSync<'a> {
    pub(super) fn new(controller: &'a Controller, key: &'a str, job: Arc<DynamicObject>, pods: Vec<Arc<Pod>>) -> Self {
        let written: Status = serde_json::from_value(job.data["status"].clone()).unwrap_or_default();
        let terminating = pods.iter().filter(|pod| pods::is_going(pod) && !pods::has_ended(pod)).count();
        Self {
            controller,
            key,
            spec: Spec::of(&job),
            active: pods.iter().filter(|pod| pods::is_active(pod)).cloned().collect(),
            terminating: i64::try_from(terminating).unwrap_or(i64::MAX),
            pods,
            status: written.clone(),
            written,
            job,
        }
    }

    pub(super) fn is_finished(&self) -> bool {
        self.written.true_condition("Complete").or_else(|| self.written.true_condition("Failed")).is_some()
    }

    /// Does one sync of a Job that is not finished. If its end is decided, ends its active pods; otherwise creates and
    /// deletes pods. Then counts the pods that have ended and, if all are counted, finishes the Job.
    pub(super) async fn advance(&mut self) -> Result<(), SyncError> {
        let now = self.controller.clock.now();
        if self.status.start_time.is_none() && !self.spec.suspended {
            self.status.start_time = Some(now.clone());
        }
        let is_going = self.job.metadata.deletion_timestamp.is_some();
        let mut verdict = self.verdict();
        if let Some(verdict) = &verdict {
            verdict.announce(&mut self.status, &now);
            self.end_active().await?;
        } else {
            // A Job that is being deleted gets no new pods.
            let managed = if is_going { Ok(()) } else { self.manage().await };
            if managed.is_err() {
                self.count_and_track(Ends::No).await?; // pods that have ended are counted all the same
                return managed;
            }
            verdict = self.completion();
            if let Some(verdict) = &verdict {
                verdict.announce(&mut self.status, &now);
            } else if !is_going {
                self.note_suspension().await;
            }
        }
        let ends = if verdict.is_some() { Ends::Yes } else { Ends::No };
        self.count_and_track(ends).await?;
        if let Some(verdict) = verdict {
            self.finish(&verdict).await?;
        }
        Ok(())
    }

    /// Sets the condition `Suspended` and writes an Event, if the Job was suspended or resumed. `set` returns true only
    /// for such a change, because an absent condition counts as false.
    async fn note_suspension(&mut self) {
        let now = self.controller.clock.now();
        if self.spec.suspended {
            if self.status.set("Suspended", true, "JobSuspended", "Job suspended", &now) {
                self.status.start_time = None;
                self.record(Reason::Suspended, "Job suspended".to_owned()).await;
            }
        } else if self.status.set("Suspended", false, "JobResumed", "Job resumed", &now) {
            self.status.start_time = Some(now);
            self.record(Reason::Resumed, "Job resumed".to_owned()).await;
        }
    }

    /// Returns the tracked pods that have succeeded and are not in the status yet (`uncountedTerminatedPods`).
    pub(super) fn newly_succeeded(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.newly_ended(pods::has_succeeded)
    }

    /// Returns the tracked pods that have failed and are not in the status yet.
    pub(super) fn newly_failed(&self) -> impl Iterator<Item = &Arc<Pod>> {
        self.newly_ended(move |pod| self.has_failed(pod))
    }

    fn newly_ended(&self, has_ended: impl Fn(&Pod) -> bool) -> impl Iterator<Item = &Arc<Pod>> {
        let uncounted = &self.status.uncounted_terminated_pods;
        let known = move |uid: &str| uncounted.succeeded.iter().chain(&uncounted.failed).any(|known| known == uid);
        let is_new = move |pod: &Pod| pods::is_tracked(&pod.metadata) && !known(pods::uid(pod));
        self.pods.iter().filter(move |pod| has_ended(pod) && is_new(pod))
    }

    /// Returns true if a pod counts as failed: it has ended without success, or it is being deleted. With
    /// `podReplacementPolicy: Failed`, a pod that is being deleted counts only once it has ended. Upstream:
    /// `isPodFailed`.
    pub(super) fn has_failed(&self, pod: &Pod) -> bool {
        let gone = pods::is_going(pod) && !self.spec.replaces_ended_only;
        !pods::has_succeeded(pod) && (pods::has_ended(pod) || gone)
    }

    /// Returns the number of pods that have succeeded; for an indexed Job, the number of indexes that have.
    pub(super) fn succeeded(&self) -> i64 {
        if self.spec.indexed {
            return i64::try_from(self.done_indexes().len()).unwrap_or(i64::MAX);
        }
        let new = self.newly_succeeded().count() + self.status.uncounted_terminated_pods.succeeded.len();
        self.status.succeeded + i64::try_from(new).unwrap_or(i64::MAX)
    }

    pub(super) fn failed(&self) -> i64 {
        let new = self.newly_failed().count() + self.status.uncounted_terminated_pods.failed.len();
        self.status.failed + i64::try_from(new).unwrap_or(i64::MAX)
    }

    /// Returns the indexes that have succeeded: those in the status, and those of tracked pods.
    pub(super) fn done_indexes(&self) -> BTreeSet<i64> {
        let completions = self.spec.completions.unwrap_or_default();
        let mut done = indexes::read(&self.status.completed_indexes, completions);
        let new = self.pods.iter().filter(|pod| pods::has_succeeded(pod) && pods::is_tracked(&pod.metadata));
        done.extend(new.filter_map(|pod| pods::index(pod)).filter(|index| *index < completions));
        done
    }

    pub(super) async fn write_status(&mut self) -> Result<(), SyncError> {
        if self.status == self.written {
            return Ok(());
        }
        let (controller, metadata) = (self.controller, &self.job.metadata);
        let api = api(&controller.client, metadata, &controller.kind);
        let patch = json!({ "status": self.status });
        self.job = Arc::new(status::write(&api, metadata, patch, self.key, &controller.statuses).await?);
        self.written = self.status.clone();
        Ok(())
    }

    pub(super) fn requeue_after(&self, after: std::time::Duration) {
        self.controller.queue.add_after(Key::Job(self.key.to_owned()), after);
    }

    pub(super) async fn record(&self, reason: Reason, message: String) {
        self.controller.recorder.record(&self.job.metadata, reason, message).await;
    }
}
