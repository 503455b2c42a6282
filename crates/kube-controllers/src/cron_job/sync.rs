//! One sync of a CronJob: creates the Job that is due now, if the concurrency policy allows it, and writes the status.
//! Upstream: `syncCronJob`.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use kube_client::api::{DynamicObject, PostParams};
use kube_informers::cache::{ApiError, with_causes};
use serde_json::{Value, json};

use super::Controller;
use super::active::{Reference, Status};
use super::due_times::{DueTimes, NeverDue};
use crate::shared::error::{SyncError, is_namespace_terminating};
use crate::shared::object::{api, controller, name, namespace, owned_by, uid};
use crate::shared::recorder::Reason;
use crate::shared::status;
use kube_machinery::conventions::cron::{self, Schedule};
use kube_machinery::conventions::time_zone::time_zone;

/// The annotation of a Job with its scheduled time, in the time zone of the schedule.
const SCHEDULED: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

pub(super) struct CronJobSync<'a> {
    pub(super) controller: &'a Controller,
    key: &'a str,
    pub(super) cron_job: Arc<DynamicObject>,
    pub(super) jobs: Vec<Arc<DynamicObject>>,
    /// The status as it was written last; `status` is the one to write next.
    written: Status,
    pub(super) status: Status,
}

impl<'a> CronJobSync<'a> {
    pub(super) fn new(
        controller: &'a Controller,
        key: &'a str,
        cron_job: Arc<DynamicObject>,
        jobs: Vec<Arc<DynamicObject>>,
    ) -> Self {
        let status: Status = serde_json::from_value(cron_job.data["status"].clone()).unwrap_or_default();
        Self { controller, key, cron_job, jobs, written: status.clone(), status }
    }

    /// Creates the Job that is due. Returns the time until the next one; `None` if the CronJob is suspended, being
    /// deleted or invalid, or if [`create`](Self::create) returns false.
    pub(super) async fn advance(&mut self) -> Result<Option<Duration>, SyncError> {
        self.update_active().await;
        let spec = self.cron_job.data["spec"].clone();
        if self.cron_job.metadata.deletion_timestamp.is_some() {
            return Ok(None);
        }
        let Some(zone) = self.zone(&spec).await else { return Ok(None) };
        if spec["suspend"] == true {
            return Ok(None);
        }
        let Some(schedule) = self.schedule(&spec).await else { return Ok(None) };
        let times =
            DueTimes { schedule: &schedule, zone: &zone, since: self.since(), now: self.controller.clock.time() };
        let deadline = spec["startingDeadlineSeconds"].as_i64();
        let deadline = deadline.map(|seconds| times.now.saturating_sub(SignedDuration::from_secs(seconds)));
        let due = match times.due(deadline.and_then(Result::ok)) {
            Ok(due) => due,
            Err(NeverDue) => {
                let why = "time difference between two schedules is less than 1 second";
                let schedule = spec["schedule"].as_str().unwrap_or_default();
                self.record(Reason::InvalidSchedule, format!("invalid schedule: {schedule} : {why}")).await;
                return Ok(None);
            }
        };
        let Some(at) = due.at else { return Ok(times.time_to_next()) };
        if due.missed_many {
            let advice = "Set or decrease .spec.startingDeadlineSeconds or check clock skew";
            self.record(Reason::TooManyMissedTimes, format!("too many missed start times. {advice}")).await;
        }
        if self.is_done(at) {
            return Ok(times.time_to_next());
        }
        if spec["concurrencyPolicy"] == "Forbid" && !self.status.active.is_empty() {
            let why = "prior execution is running and concurrency policy is Forbid";
            self.record(Reason::JobAlreadyActive, format!("Not starting job because {why}")).await;
            return Ok(times.time_to_next());
        }
        if spec["concurrencyPolicy"] == "Replace" {
            let is_active = |job: &&Arc<DynamicObject>| self.status.has(uid(&job.metadata));
            let active: Vec<_> = self.jobs.iter().filter(is_active).cloned().collect();
            for job in active {
                self.delete(&job).await?;
            }
        }
        if !self.create(at, &zone).await? {
            return Ok(None);
        }
        self.status.last_schedule_time = Some(at.to_string());
        Ok(DueTimes { since: at, ..times }.time_to_next())
    }

    /// Returns the time zone of the schedule, UTC by default. If it is unknown, writes an Event and returns `None`.
    async fn zone(&self, spec: &Value) -> Option<TimeZone> {
        let Some(name) = spec["timeZone"].as_str() else { return Some(TimeZone::UTC) };
        let zone = time_zone(name);
        if zone.is_none() {
            let message = format!("invalid timeZone: {name:?}: unknown time zone {name}");
            self.record(Reason::UnknownTimeZone, message).await;
        }
        zone
    }

    /// Returns the parsed schedule. If it cannot be parsed, writes an Event and returns `None`.
    async fn schedule(&self, spec: &Value) -> Option<Schedule> {
        let schedule = spec["schedule"].as_str().unwrap_or_default();
        match cron::parse(schedule) {
            Ok(schedule) => Some(schedule),
            Err(why) => {
                self.record(Reason::UnparseableSchedule, format!("unparseable schedule: {schedule:?} : {why}")).await;
                None
            }
        }
    }

    /// Returns the time of the last start, or of the creation before the first start.
    fn since(&self) -> Timestamp {
        let last = self.status.last_schedule_time.as_deref().and_then(|time| time.parse().ok());
        let created = self.cron_job.metadata.creation_timestamp.as_ref().map(|time| time.0);
        last.or(created).unwrap_or_else(|| self.controller.clock.time())
    }

    /// Returns true if the Job for this time was created already.
    fn is_done(&self, at: Timestamp) -> bool {
        let job = self.name_of_job(at);
        let last = self.status.last_schedule_time.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        last == Some(at) || self.status.active.iter().any(|active| active.name == job)
    }

    /// Returns the name of the Job for a time. It contains the time, so no time gets two Jobs. Upstream: `getJobName`.
    fn name_of_job(&self, at: Timestamp) -> String {
        format!("{}-{}", name(&self.cron_job.metadata), at.as_second() / 60)
    }

    /// Creates the Job for a time, and lists it as active. Returns false if a Job of this name existed, and is listed
    /// as active already or belongs to another owner.
    async fn create(&mut self, at: Timestamp, zone: &TimeZone) -> Result<bool, SyncError> {
        let job = self.job(at, zone);
        let job_name = name(&job.metadata).to_owned();
        let api = api(&self.controller.client, &self.cron_job.metadata, &self.controller.kind_of_jobs);
        let made = match api.create(&PostParams::default(), &job).await {
            Ok(made) => {
                self.controller.job_writes.wrote(self.key, made.metadata.resource_version.clone());
                self.record(Reason::SuccessfulCreate, format!("Created job {job_name}")).await;
                made
            }
            Err(kube_client::Error::Api(status)) if status.reason == "AlreadyExists" => {
                let found = api.get(&job_name).await;
                found.map_err(SyncError::refused(format!("look at the job {job_name}")))?
            }
            Err(error) => {
                let error = ApiError::from(error);
                if !is_namespace_terminating(&error) {
                    self.record(Reason::FailedCreate, format!("Error creating job: {}", with_causes(&error))).await;
                }
                return Err(SyncError::refused(format!("create the job {job_name}"))(error));
            }
        };
        let is_ours = controller(&made.metadata).is_some_and(|owner| owner.uid == uid(&self.cron_job.metadata));
        if !is_ours || self.status.has(uid(&made.metadata)) {
            return Ok(false);
        }
        self.status.active.push(Reference {
            kind: self.controller.kind_of_jobs.kind.clone(),
            namespace: namespace(&made.metadata).to_owned(),
            name: job_name,
            uid: uid(&made.metadata).to_owned(),
            api_version: self.controller.kind_of_jobs.api_version.clone(),
            resource_version: made.metadata.resource_version.clone().unwrap_or_default(),
        });
        Ok(true)
    }

    /// Returns a new Job for a time. Upstream: `getJobFromTemplate2`.
    fn job(&self, at: Timestamp, zone: &TimeZone) -> DynamicObject {
        let template = &self.cron_job.data["spec"]["jobTemplate"];
        let kind = &self.controller.kind_of_jobs;
        let mut job = DynamicObject::new(&self.name_of_job(at), kind).data(json!({"spec": template["spec"]}));
        let texts = |field: &str| serde_json::from_value(template["metadata"][field].clone()).ok();
        job.metadata.labels = texts("labels");
        let mut annotations = texts("annotations").unwrap_or_default();
        annotations.insert(SCHEDULED.to_owned(), written_in(zone, at));
        job.metadata.annotations = Some(annotations);
        let owner = owned_by(&self.cron_job.metadata, &self.controller.kind);
        job.metadata.owner_references = serde_json::from_value(owner).ok();
        job
    }

    pub(super) async fn write_status(&self) -> Result<(), SyncError> {
        if self.status == self.written {
            return Ok(());
        }
        let (controller, metadata) = (self.controller, &self.cron_job.metadata);
        let api = api(&controller.client, metadata, &controller.kind);
        let patch = json!({ "status": self.status.patch() });
        status::write(&api, metadata, patch, self.key, &controller.statuses).await.map(drop)
    }

    pub(super) async fn record(&self, reason: Reason, message: String) {
        self.controller.recorder.record(&self.cron_job.metadata, reason, message).await;
    }
}

/// Formats a time in a time zone as Go's `time.RFC3339` does.
fn written_in(zone: &TimeZone, at: Timestamp) -> String {
    let time = at.to_zoned(zone.clone());
    let format = if time.offset() == Offset::UTC { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" };
    time.strftime(format).to_string()
}
