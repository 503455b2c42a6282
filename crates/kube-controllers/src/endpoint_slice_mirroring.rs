//! The EndpointSlice mirroring controller: copies the Endpoints that users write for services without a selector to
//! EndpointSlices ("slices"), because proxies read only those. Upstream: `pkg/controller/endpointslicemirroring`.

mod handlers;
mod mirrored;
mod reconcile;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Endpoints, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Reader, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::endpoints::is_ours as is_of_controller;
use super::shared::error::{ControllerError, SyncError};
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::service_slices::{SliceHandler, WritesSlices, key_of};
use crate::clock::Clock;
use handlers::{EndpointsHandler, ServiceHandler};
use mirrored::should_mirror;

/// The index of slices by the key of their service, which is also that of its Endpoints.
const OF_SERVICE: &str = "service";

const EVENT_SOURCE: EventSource =
    EventSource { component: "endpoint-slice-mirroring-controller", api_version: "v1", kind: "Endpoints" };

/// Runs the controller for all Endpoints of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, once a client has written Endpoints.
///
/// # Errors
/// An informer failed, or the work on an object panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: Client,
    kind_of_slices: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    service_informer: SharedIndexInformer<DynamicObject>,
    slice_informer: SharedIndexInformer<DynamicObject>,
    endpoints: Reader<DynamicObject>,
    services: Reader<DynamicObject>,
    slices_by_service: Index<DynamicObject>,
    queue: WorkQueue<String>,
    /// The controller's last write of the slices of each Endpoints object, which the cache must have before the next
    /// sync.
    writes: OwnWrites,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = Endpoints;
    type Key = String;

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind_of_slices = ApiResource::erase::<EndpointSlice>(&());
        let informer = factory.dynamic_informer(&ApiResource::erase::<Endpoints>(&()));
        let service_informer = factory.dynamic_informer(&ApiResource::erase::<Service>(&()));
        let slice_informer = factory.dynamic_informer(&kind_of_slices);
        Ok(Self {
            endpoints: informer.reader(),
            services: service_informer.reader(),
            slices_by_service: slice_informer.index(OF_SERVICE, |slice| key_of(slice).into_iter().collect())?,
            kind_of_slices,
            informer,
            service_informer,
            slice_informer,
            queue: WorkQueue::new(),
            writes: OwnWrites::default(),
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let endpoints = self.informer.add_event_handler(EndpointsHandler(self.clone()))?;
        let services = self.service_informer.add_event_handler(ServiceHandler(self.clone()))?;
        let slices = self.slice_informer.add_event_handler(SliceHandler(self.clone()))?;
        Ok(vec![endpoints.synced(), services.synced(), slices.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles the slices of one Endpoints object. Upstream: `syncEndpoints`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        if !self.writes.has_caught_up(key, &self.slice_informer.reader()).await {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let slices = self.slices_by_service.get(key);
        let existing: Vec<_> = slices.iter().filter(|slice| Self::is_ours(slice)).cloned().collect();
        let has_no_selector = |service: Arc<DynamicObject>| service.data["spec"]["selector"].is_null();
        let endpoints = self.endpoints.get(key).filter(|endpoints| should_mirror(endpoints));
        match endpoints.filter(|_| self.services.get(key).is_some_and(has_no_selector)) {
            Some(endpoints) => self.reconcile(key, &endpoints, existing).await,
            None => self.delete(key, &existing).await,
        }
    }

    /// Returns true for the Endpoints that users write. Those of the Endpoints controller have slices already.
    fn is_needed_by(endpoints: &DynamicObject) -> bool {
        should_mirror(endpoints) && !is_of_controller(endpoints)
    }
}

impl WritesSlices for Controller {
    const NAME: &'static str = "endpointslicemirroring-controller.k8s.io";
}
