//! The CronJob controller: creates a Job at each time of the schedule, and deletes the oldest finished Jobs beyond the
//! history limits. Upstream: `pkg/controller/cronjob`.
//!
//! Concurrency policies, the starting deadline, suspension, time zones and history limits work as upstream. So do the
//! names of Jobs: a name contains the scheduled time, so each time gets at most one Job.

mod active;
mod due_times;
mod history;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::batch::v1::{CronJob, Job};
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory,
};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::{DependentHandler, Enqueue, OwnKindHandler};
use super::shared::object::owner_index;
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use crate::clock::Clock;
use sync::CronJobSync;

/// The index of Jobs by the uid of their CronJob.
const OWNER: &str = "owner";

const EVENT_SOURCE: EventSource =
    EventSource { component: "cronjob-controller", api_version: "batch/v1", kind: "CronJob" };

/// Runs the controller for all CronJobs of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already. The Jobs that it creates need a [Job controller](super::job), either this
/// crate's or another.
///
/// # Errors
/// An informer failed, or the work on a CronJob panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_jobs: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    job_informer: SharedIndexInformer<DynamicObject>,
    cron_jobs: Lister<DynamicObject>,
    jobs_by_owner: Index<DynamicObject>,
    queue: WorkQueue<String>,
    /// The last status that the controller wrote for each CronJob. The cache must have it before the next sync.
    statuses: OwnWrites,
    /// The last Job that the controller created for each CronJob. The cache must have it before the next sync.
    job_writes: OwnWrites,
    clock: Clock,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = CronJob;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let (kind, kind_of_jobs) = (ApiResource::erase::<CronJob>(&()), ApiResource::erase::<Job>(&()));
        let (informer, job_informer) = (factory.dynamic_informer(&kind), factory.dynamic_informer(&kind_of_jobs));
        Ok(Self {
            cron_jobs: Lister::new(informer.reader(), (&kind).into()),
            jobs_by_owner: job_informer.index(OWNER, |job| owner_index(&job.metadata))?,
            kind,
            kind_of_jobs,
            informer,
            job_informer,
            queue: WorkQueue::new(),
            statuses: OwnWrites::default(),
            job_writes: OwnWrites::default(),
            clock,
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let cron_jobs = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let jobs = self.job_informer.add_event_handler(DependentHandler(self.clone()))?;
        Ok(vec![cron_jobs.synced(), jobs.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Creates the Job that is due, and queues the CronJob again for its next time. Upstream: `sync`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        let has_caught_up = self.statuses.has_caught_up(key, &self.informer.reader()).await
            && self.job_writes.has_caught_up(key, &self.job_informer.reader()).await;
        if !has_caught_up {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let Ok(cron_job) = self.cron_jobs.get(key) else { return Ok(()) };
        let uid = cron_job.metadata.uid.as_deref().unwrap_or_default();
        let jobs = self.jobs_by_owner.get(uid).iter().cloned().collect();
        let mut sync = CronJobSync::new(self, key, cron_job, jobs);
        sync.delete_old().await?;
        let done = sync.advance().await;
        sync.write_status().await?; // also after a failure
        if let Some(wait) = done? {
            self.queue.add_after(key.to_owned(), wait);
        }
        Ok(())
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.cron_jobs
    }

    fn forget(&self, key: &str, _: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
        self.job_writes.forget(key);
    }
}
