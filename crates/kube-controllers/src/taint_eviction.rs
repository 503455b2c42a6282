//! The taint eviction controller: deletes the pods of a node with a `NoExecute` taint that do not tolerate it; those
//! that tolerate it for some seconds are deleted after that time, unless the taint goes before. Upstream:
//! `pkg/controller/tainteviction`.

mod evict;
mod handlers;
mod pod;
mod process;
mod scheduled;
mod tolerations;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod};
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Reader, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use crate::clock::Clock;
use handlers::{NodeHandler, PodHandler};
use pod::{PodTolerations, node_index};
use scheduled::Evictions;
use tolerations::no_execute;

const EVENT_SOURCE: EventSource =
    EventSource { component: "taint-eviction-controller", api_version: "v1", kind: "Pod" };

/// Runs the controller for all nodes of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first node with a `NoExecute` taint on.
///
/// # Errors
/// An informer failed, or the work on an object panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: Client,
    kind_of_pods: ApiResource,
    node_informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<PodTolerations>,
    nodes: Reader<DynamicObject>,
    pods: Reader<PodTolerations>,
    pods_by_node: Index<PodTolerations>,
    queue: WorkQueue<Key>,
    evictions: Evictions,
    clock: Clock,
    recorder: EventRecorder,
}

/// An item of the work queue: the key of the object to sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A node whose taints have changed.
    Node(String),
    /// A pod whose tolerations or node have changed.
    Pod(String),
    /// The time of the next eviction. One key for all pods.
    Timer,
    /// A pod whose time may be over.
    Eviction(String),
}

impl Reconciler for Controller {
    type Kind = Node;
    type Key = Key;

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let node_informer = factory.dynamic_informer(&ApiResource::erase::<Node>(&()));
        let pod_informer = factory.informer_as::<Pod, PodTolerations>();
        Ok(Self {
            nodes: node_informer.reader(),
            pods: pod_informer.reader(),
            pods_by_node: pod_informer.index("node", node_index)?,
            kind_of_pods: ApiResource::erase::<Pod>(&()),
            node_informer,
            pod_informer,
            queue: WorkQueue::new(),
            evictions: Evictions::default(),
            clock,
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let nodes = self.node_informer.add_event_handler(NodeHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok(vec![nodes.synced(), pods.synced()])
    }

    fn queue(&self) -> &WorkQueue<Key> {
        &self.queue
    }

    async fn sync(&self, key: &Key) -> Result<(), SyncError> {
        match key {
            Key::Node(name) => self.sync_node(name).await,
            Key::Pod(key) => self.sync_pod(key).await,
            Key::Timer => self.queue_due(),
            Key::Eviction(key) => return self.evict(key).await,
        }
        Ok(())
    }

    fn is_needed_by(node: &DynamicObject) -> bool {
        !no_execute(node).is_empty()
    }
}
