//! The Job controller: runs pods until enough of them have succeeded or too many have failed, and deletes finished Jobs
//! after their TTL. Upstream: `pkg/controller/job`, `pkg/controller/ttlafterfinished`.
//!
//! Completions, parallelism, indexes, the limits of failures and of time, suspension and the back-off after a failure
//! work as upstream. So does the counting: each pod keeps a finalizer until the Job's status counts it. The controller
//! ignores Jobs with a `podFailurePolicy`, a `successPolicy` or a `backoffLimitPerIndex`, and writes an Event about
//! that.

mod backoff;
mod claim;
mod handlers;
mod indexes;
mod manage;
mod pods;
mod spec;
mod status;
mod sync;
mod track;
mod ttl;
mod verdict;

use std::sync::Arc;

use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::{DependentHandler, OwnKindHandler};
use super::shared::object::owner_index;
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource, Reason};
use crate::clock::Clock;
use backoff::Backoffs;
use sync::JobSync;

/// The index of pods by the uid of their Job.
const OWNER: &str = "owner";

const EVENT_SOURCE: EventSource = EventSource { component: "job-controller", api_version: "batch/v1", kind: "Job" };

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A Job: `namespace/name`.
    Job(String),
    /// A pod that no Job will count, so its finalizer must be removed. Upstream: `syncOrphanPod`.
    Orphan(String),
}

/// Runs the controller for all Jobs of a cluster until `stop`. A cluster of `kube-testcluster` with `Controllers::All`
/// runs it already.
///
/// # Errors
/// An informer failed, or the work on a Job panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    jobs: Lister<DynamicObject>,
    pods: Lister<Pod>,
    pods_by_owner: Index<Pod>,
    queue: WorkQueue<Key>,
    /// The last status that the controller wrote for each Job. The cache must have it before the next sync.
    statuses: OwnWrites,
    /// The last write of a pod for each Job. The cache must have it before the next sync.
    pod_writes: OwnWrites,
    /// The waits before failed pods are replaced.
    backoffs: Backoffs,
    clock: Clock,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = Job;
    type Key = Key;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let (kind, kind_of_pods) = (ApiResource::erase::<Job>(&()), ApiResource::erase::<Pod>(&()));
        let (informer, pod_informer) = (factory.dynamic_informer(&kind), factory.informer::<Pod>());
        Ok(Self {
            jobs: Lister::new(informer.reader(), (&kind).into()),
            pods: Lister::new(pod_informer.reader(), (&kind_of_pods).into()),
            pods_by_owner: pod_informer.index(OWNER, |pod| owner_index(&pod.metadata))?,
            kind,
            kind_of_pods,
            informer,
            pod_informer,
            queue: WorkQueue::new(),
            statuses: OwnWrites::default(),
            pod_writes: OwnWrites::default(),
            backoffs: Backoffs::default(),
            clock,
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let jobs = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(DependentHandler(self.clone()))?;
        Ok(vec![jobs.synced(), pods.synced()])
    }

    fn queue(&self) -> &WorkQueue<Key> {
        &self.queue
    }

    async fn sync(&self, key: &Key) -> Result<(), SyncError> {
        match key {
            Key::Job(key) => self.sync_job(key).await,
            Key::Orphan(key) => self.release_orphan(key).await,
        }
    }
}

impl Controller {
    /// Reconciles one Job: counts its pods, creates or deletes some, and writes its status. Upstream: `syncJob`.
    async fn sync_job(&self, key: &str) -> Result<(), SyncError> {
        let has_caught_up = self.statuses.has_caught_up(key, &self.informer.reader()).await
            && self.pod_writes.has_caught_up(key, &self.pod_informer.reader()).await;
        if !has_caught_up {
            self.queue.add_after(Key::Job(key.to_owned()), RETRY_DELAY);
            return Ok(());
        }
        let Ok(job) = self.jobs.get(key) else {
            self.backoffs.forget(key);
            return Ok(());
        };
        if !self.is_ours(&job).await {
            return Ok(());
        }
        let pods = self.claim(&job).await?;
        let mut sync = JobSync::new(self, key, job, pods);
        if sync.is_finished() {
            self.backoffs.forget(key);
            return sync.clean_up().await;
        }
        sync.advance().await
    }

    /// Returns true if this controller handles the Job. If an unsupported policy is the reason why it does not, writes
    /// an Event, unless the Job has started: then a controller of the user's handles it.
    async fn is_ours(&self, job: &DynamicObject) -> bool {
        let spec = &job.data["spec"];
        let foreign = spec["managedBy"].as_str().is_some_and(|name| name != "kubernetes.io/job-controller");
        let policy = ["podFailurePolicy", "successPolicy", "backoffLimitPerIndex"];
        let policy = policy.into_iter().find(|field| !spec[field].is_null());
        if let Some(policy) = policy.filter(|_| !foreign && job.data["status"]["startTime"].is_null()) {
            let message = format!("The built-in Job controller runs no Jobs with a {policy}; run one of your own.");
            self.recorder.record(&job.metadata, Reason::NotSupported, message).await;
        }
        !foreign && policy.is_none()
    }
}
