//! The resource quota controller: keeps the status of each ResourceQuota ("quota"), which says how much of the quota is
//! used. The API server adds new objects to it when it stores them; this controller calculates the status when a quota
//! is created or its spec changes, and again when an object is deleted or uses less. Upstream:
//! `pkg/controller/resourcequota`.
//!
//! It watches only the resources that a quota tracks, from the first such quota on. There is no periodic calculation,
//! because the API server stores an object and its charge in one write, so a status stays right.

mod discovery;
mod handlers;
mod monitors;
mod sync;
mod tracked;

use std::sync::Arc;

use k8s_openapi::api::core::v1::ResourceQuota;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::reconciler::{self, Reconciler};
use crate::clock::Clock;
use handlers::QuotaHandler;
use monitors::Monitors;

/// Runs the controller for all quotas of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first quota on.
///
/// # Errors
/// An informer failed, or the work on a quota panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    queue: Arc<WorkQueue<String>>,
    monitors: Monitors,
    clock: Clock,
}

impl Reconciler for Controller {
    type Kind = ResourceQuota;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<ResourceQuota>(&());
        let informer = factory.dynamic_informer(&kind);
        let queue = Arc::new(WorkQueue::new());
        let quotas = Lister::new(informer.reader(), (&kind).into());
        let monitors = Monitors::new(client.clone(), quotas, queue.clone());
        Ok(Self { client, kind, informer, queue, monitors, clock })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        Ok(vec![self.informer.add_event_handler(QuotaHandler(self.clone()))?.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        self.sync_quota(key).await
    }
}
