//! The Endpoints controller: for each service with a selector, writes an Endpoints object of the same name with the
//! addresses of the selected pods. EndpointSlices replace Endpoints, but programs still read them. Upstream:
//! `pkg/controller/endpoint`.
//!
//! Not implemented is the annotation `endpoints.kubernetes.io/last-change-trigger-time`. Subsets and ports are sorted
//! by their content; upstream sorts them by a hash.

mod capacity;
mod handlers;
mod subsets;
mod write;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Endpoints, Pod, Service};
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, InformerStopped, Reader, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::object::{name, namespace};
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::service_pods::{PodHandler, ServesPods};
use super::shared::services::{has_endpoints, selector};
use crate::clock::Clock;
use handlers::{EndpointsHandler, ServiceHandler};
pub(crate) use write::is_ours;

const EVENT_SOURCE: EventSource =
    EventSource { component: "endpoint-controller", api_version: "v1", kind: "Endpoints" };

/// Runs the controller for all services of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, once a client has created a service.
///
/// # Errors
/// An informer failed, or the work on a service panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: Client,
    kind: ApiResource,
    service_informer: SharedIndexInformer<DynamicObject>,
    informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    services: Reader<DynamicObject>,
    endpoints: Reader<DynamicObject>,
    pods: Reader<Pod>,
    queue: WorkQueue<String>,
    /// The controller's last write of each service's Endpoints, which the cache must have before the next sync.
    writes: OwnWrites,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = Service;
    type Key = String;

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<Endpoints>(&());
        let service_informer = factory.dynamic_informer(&ApiResource::erase::<Service>(&()));
        let (informer, pod_informer) = (factory.dynamic_informer(&kind), factory.informer::<Pod>());
        Ok(Self {
            services: service_informer.reader(),
            endpoints: informer.reader(),
            pods: pod_informer.reader(),
            kind,
            service_informer,
            informer,
            pod_informer,
            queue: WorkQueue::new(),
            writes: OwnWrites::default(),
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let services = self.service_informer.add_event_handler(ServiceHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        let endpoints = self.informer.add_event_handler(EndpointsHandler(self.clone()))?;
        Ok(vec![services.synced(), pods.synced(), endpoints.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles the Endpoints of one service with its pods. Upstream: `syncService`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        if !self.writes.has_caught_up(key, &self.informer.reader()).await {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let Some(service) = self.services.get(key) else { return self.delete(key).await };
        if !has_endpoints(&service) {
            return Ok(()); // users write its Endpoints, if it has any
        }
        let pods = self.pods.select_in(namespace(&service.metadata), &selector(&service)?);
        self.write(key, &service, subsets::of(&service, &pods)).await
    }

    /// Returns true for every service but the one of the API server. As upstream, the Endpoints of a service without a
    /// selector are removed together with the service.
    fn is_needed_by(service: &DynamicObject) -> bool {
        (namespace(&service.metadata), name(&service.metadata)) != ("default", "kubernetes")
    }
}

impl ServesPods for Controller {
    fn services(&self) -> &Reader<DynamicObject> {
        &self.services
    }
}
