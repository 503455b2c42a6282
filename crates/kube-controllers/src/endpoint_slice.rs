//! The EndpointSlice controller: for each service with a selector, writes EndpointSlices ("slices") with the addresses
//! of the selected pods, which proxies and DNS servers read. Upstream: `pkg/controller/endpointslice`,
//! `k8s.io/endpointslice`.
//!
//! Named ports, the conditions `ready`, `serving` and `terminating`, zones, host names, hints of `trafficDistribution`,
//! labels and the distribution of endpoints over slices work as upstream. Not implemented are the annotation
//! `endpoints.kubernetes.io/last-change-trigger-time`, and hints for the annotation `topology-mode`.

mod endpoint;
mod fill;
mod handlers;
mod hints;
mod plan;
mod service;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Done, Error, Index, InformerStopped, Reader, SharedIndexInformer, SharedInformerFactory, with_causes,
};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::object::{name, namespace};
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource, Reason};
use super::shared::service_pods::{PodHandler, ServesPods};
use super::shared::service_ports;
use super::shared::service_slices::{SliceHandler, WritesSlices, key_of};
use super::shared::services::{has_address, has_endpoints, publishes_all, selector};
use crate::clock::Clock;
use endpoint::Endpoints;
use fill::Group;
use handlers::ServiceHandler;
use plan::{Plan, Ports, ports_of};
use service::address_types;

/// The index of slices by the key of their service.
const OF_SERVICE: &str = "service";

const EVENT_SOURCE: EventSource =
    EventSource { component: "endpoint-slice-controller", api_version: "v1", kind: "Service" };

/// Runs the controller for all services of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first service with a selector on.
///
/// # Errors
/// An informer failed, or the work on a service panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind_of_slices: ApiResource,
    service_informer: SharedIndexInformer<DynamicObject>,
    node_informer: SharedIndexInformer<DynamicObject>,
    slice_informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    services: Reader<DynamicObject>,
    nodes: Reader<DynamicObject>,
    pods: Reader<Pod>,
    slices_by_service: Index<DynamicObject>,
    queue: WorkQueue<String>,
    /// The controller's last write of each service's slices, which the cache must have before the next sync.
    writes: OwnWrites,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = Service;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind_of_slices = ApiResource::erase::<EndpointSlice>(&());
        let service_informer = factory.dynamic_informer(&ApiResource::erase::<Service>(&()));
        let node_informer = factory.dynamic_informer(&ApiResource::erase::<Node>(&()));
        let slice_informer = factory.dynamic_informer(&kind_of_slices);
        let pod_informer = factory.informer::<Pod>();
        Ok(Self {
            services: service_informer.reader(),
            nodes: node_informer.reader(),
            pods: pod_informer.reader(),
            slices_by_service: slice_informer.index(OF_SERVICE, |slice| key_of(slice).into_iter().collect())?,
            kind_of_slices,
            service_informer,
            node_informer,
            slice_informer,
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
        let slices = self.slice_informer.add_event_handler(SliceHandler(self.clone()))?;
        Ok(vec![services.synced(), pods.synced(), slices.synced(), self.node_informer.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles the slices of one service with its pods. Upstream: `syncService`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        if !self.writes.has_caught_up(key, &self.slice_informer.reader()).await {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let Some(service) = self.services.get(key).filter(|service| has_endpoints(service)) else { return Ok(()) };
        let pods = self.pods.select_in(namespace(&service.metadata), &selector(&service)?);
        let done = self.reconcile(key, &service, &pods).await;
        if let Err(error) = &done {
            let message = format!("Error updating Endpoint Slices for Service {key}: {}", with_causes(error));
            self.recorder.record(&service.metadata, Reason::FailedToUpdateEndpointSlices, message).await;
        }
        done
    }

    fn is_needed_by(service: &DynamicObject) -> bool {
        has_endpoints(service)
    }
}

impl WritesSlices for Controller {
    const NAME: &'static str = "endpointslice-controller.k8s.io";
}

impl ServesPods for Controller {
    fn services(&self) -> &Reader<DynamicObject> {
        &self.services
    }
}

impl Controller {
    /// Writes the slices of each of the service's address types (IPv4, IPv6), and deletes slices of other types.
    /// Upstream: `Reconcile`.
    async fn reconcile(&self, key: &str, service: &DynamicObject, pods: &[Arc<Pod>]) -> Result<(), SyncError> {
        let mut by_type = BTreeMap::<String, Vec<Arc<DynamicObject>>>::new();
        for slice in &self.slices_by_service.get(key) {
            if Self::is_ours(slice) && slice.metadata.deletion_timestamp.is_none() {
                let address_type = slice.data["addressType"].as_str().unwrap_or_default();
                by_type.entry(address_type.to_owned()).or_default().push(slice.clone());
            }
        }
        let mut done = Ok(());
        for address_type in address_types(service) {
            let existing = by_type.remove(address_type).unwrap_or_default();
            let (groups, left_out) = self.groups(service, pods, address_type);
            let plan = Plan::new(service, &self.kind_of_slices, address_type, existing, groups);
            done = done.and(self.write(key, service, plan).await).and(left_out);
        }
        for slice in by_type.into_values().flatten() {
            done = done.and(self.delete(key, service, &slice).await); // the service no longer has addresses of this type
        }
        done
    }

    /// Groups the endpoints of pods by their ports. A pod on a node that does not exist is left out and reported as an
    /// error, unless the service publishes addresses that are not ready, or the cluster has no Node objects.
    fn groups(
        &self,
        service: &DynamicObject,
        pods: &[Arc<Pod>],
        address_type: &str,
    ) -> (BTreeMap<Ports, Group>, Result<(), SyncError>) {
        let (mut groups, mut left_out) = (BTreeMap::<Ports, Group>::new(), Ok(()));
        let publishes_all = publishes_all(service);
        for pod in pods.iter().filter(|pod| has_address(pod)) {
            let ports = service_ports::of(service, pod);
            let group = groups.entry(ports_of(&ports));
            let group = group.or_insert_with(|| Group { ports, endpoints: Endpoints::default() });
            let node = endpoint::node_name(pod).and_then(|node| self.nodes.get(node));
            // In a cluster without Node objects pods run all the same, so a missing node is no error there.
            if node.is_none() && !publishes_all && !self.nodes.is_empty() {
                left_out = Err(SyncError::NoNode(name(&pod.metadata).to_owned()));
                continue;
            }
            group.endpoints.insert(endpoint::new(service, pod, node.as_deref(), address_type));
        }
        (groups, left_out)
    }
}
