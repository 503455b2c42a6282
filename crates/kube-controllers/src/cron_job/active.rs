//! The status of a CronJob: the active Jobs, which the concurrency policies look at, and the times of the last start
//! and the last success. Each sync first brings it up to date with the Jobs. Upstream: the first half of `syncCronJob`.

use kube_client::api::DynamicObject;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::sync::CronJobSync;
use crate::shared::object::{name, uid};
use crate::shared::recorder::Reason;

/// The status as the controller reads it. An active Job is one that was started and has not ended.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Status {
    pub(super) active: Vec<Reference>,
    pub(super) last_schedule_time: Option<String>,
    pub(super) last_successful_time: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Reference {
    pub(super) kind: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) uid: String,
    pub(super) api_version: String,
    pub(super) resource_version: String,
}

impl Status {
    pub(super) fn has(&self, uid: &str) -> bool {
        self.active.iter().any(|job| job.uid == uid)
    }

    pub(super) fn remove(&mut self, uid: &str) {
        self.active.retain(|job| job.uid != uid);
    }

    /// Returns the status as a merge patch, in which empty fields are null, so they are removed.
    pub(super) fn patch(&self) -> Value {
        json!({
            "active": (!self.active.is_empty()).then_some(&self.active),
            "lastScheduleTime": self.last_schedule_time, "lastSuccessfulTime": self.last_successful_time,
        })
    }
}

/// Returns the type of the condition that ended a Job, `Complete` or `Failed`; `None` while the Job has not ended.
pub(super) fn end(job: &DynamicObject) -> Option<&str> {
    let conditions = job.data["status"]["conditions"].as_array()?.iter();
    let mut true_conditions = conditions.filter(|condition| condition["status"] == "True");
    true_conditions
        .find_map(|condition| condition["type"].as_str().filter(|kind| matches!(*kind, "Complete" | "Failed")))
}

impl CronJobSync<'_> {
    /// Removes the Jobs that have ended or no longer exist from `status.active`, and updates the time of the last
    /// success. Writes an Event for each removed Job, and for each running Job that is not listed as active.
    pub(super) async fn update_active(&mut self) {
        for job in self.jobs.clone() {
            let (job_name, is_active) = (name(&job.metadata), self.status.has(uid(&job.metadata)));
            match end(&job) {
                None if !is_active => {
                    let message = format!("Saw a job that the controller did not create or forgot: {job_name}");
                    self.record(Reason::UnexpectedJob, message).await;
                }
                None => {}
                Some(end) => {
                    if is_active {
                        self.status.remove(uid(&job.metadata));
                        let message = format!("Saw completed job: {job_name}, condition: {end}");
                        self.record(Reason::SawCompletedJob, message).await;
                    }
                    let completed = job.data["status"]["completionTime"].as_str().filter(|_| end == "Complete");
                    let last = &mut self.status.last_successful_time;
                    // The later time wins. Both are written in UTC with the same digits, so their texts sort by time.
                    *last = last.take().max(completed.map(ToOwned::to_owned));
                }
            }
        }
        let is_gone = |uid: &str| !self.jobs.iter().any(|job| job.metadata.uid.as_deref() == Some(uid));
        let gone: Vec<_> = self.status.active.iter().filter(|job| is_gone(&job.uid)).cloned().collect();
        for job in gone {
            self.status.remove(&job.uid);
            self.record(Reason::MissingJob, format!("Active job went missing: {}", job.name)).await;
        }
    }
}
