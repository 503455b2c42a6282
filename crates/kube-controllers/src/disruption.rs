//! The disruption controller: keeps the status of each PodDisruptionBudget ("budget"), which says how many of its pods
//! may be evicted now. The API server decides about evictions by this status alone. Upstream:
//! `pkg/controller/disruption`.
//!
//! Numbers and percentages, the scale of the pods' controllers (also of custom resources with the subresource `scale`),
//! the time limit of evicted pods that are not deleted, the condition and the reset of stale conditions
//! `DisruptionTarget` work as upstream. Repeated Events are not combined.

mod disrupted_pods;
mod expected;
mod finders;
mod handlers;
mod scale;
mod stale_pod;
mod status;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, InformerStopped, Lister, Reader, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::OwnKindHandler;
use super::shared::own_writes::OwnWrites;
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use crate::clock::Clock;
use finders::Finders;
use handlers::PodHandler;

/// The component in the Events. It is not the controller's name, but upstream's word.
const COMPONENT: &str = "controllermanager";

const ABOUT_BUDGETS: EventSource =
    EventSource { component: COMPONENT, api_version: "policy/v1", kind: "PodDisruptionBudget" };

const ABOUT_PODS: EventSource = EventSource { component: COMPONENT, api_version: "v1", kind: "Pod" };

/// Runs the controller for all budgets of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first budget on.
///
/// # Errors
/// An informer failed, or the work on a budget panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    budgets: Lister<DynamicObject>,
    pods: Reader<Pod>,
    finders: Finders,
    queue: WorkQueue<Key>,
    /// The last status that the controller wrote for each budget. The next sync waits until the cache has it.
    statuses: OwnWrites,
    clock: Clock,
    budget_recorder: EventRecorder,
    pod_recorder: EventRecorder,
}

/// An item of the work queue: the key of the object to sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Budget(String),
    /// A pod with a condition `DisruptionTarget`, or with several budgets.
    Pod(String),
}

impl Reconciler for Controller {
    type Kind = PodDisruptionBudget;
    type Key = Key;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<PodDisruptionBudget>(&());
        let (informer, pod_informer) = (factory.dynamic_informer(&kind), factory.informer::<Pod>());
        Ok(Self {
            budgets: Lister::new(informer.reader(), (&kind).into()),
            pods: pod_informer.reader(),
            finders: Finders::new(client.clone(), factory),
            kind,
            kind_of_pods: ApiResource::erase::<Pod>(&()),
            informer,
            pod_informer,
            queue: WorkQueue::new(),
            statuses: OwnWrites::default(),
            clock,
            budget_recorder: EventRecorder::new(client.clone(), clock, &ABOUT_BUDGETS),
            pod_recorder: EventRecorder::new(client.clone(), clock, &ABOUT_PODS),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let budgets = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok([budgets.synced(), pods.synced()].into_iter().chain(self.finders.synced()).collect())
    }

    fn queue(&self) -> &WorkQueue<Key> {
        &self.queue
    }

    async fn sync(&self, key: &Key) -> Result<(), SyncError> {
        match key {
            Key::Budget(key) => self.sync_budget(key).await,
            Key::Pod(key) => self.sync_pod(key).await,
        }
    }
}
