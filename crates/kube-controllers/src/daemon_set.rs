//! The DaemonSet controller: keeps one pod of each DaemonSet on every node that the DaemonSet selects. Upstream:
//! `pkg/controller/daemon`.
//!
//! The choice of nodes, tolerations, rolling updates by `maxUnavailable` or by `maxSurge`, `OnDelete`, revisions and
//! the back-off after failed pods work as upstream. The scheduler places the pods: each pod has a node affinity for its
//! node.

mod backoff;
mod handlers;
mod manage;
mod nodes;
mod roll;
mod spec;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::apps::v1::DaemonSet;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory,
};
use kube_informers::workqueue::WorkQueue;
use kube_selectors::LabelSelector;
use tokio_util::sync::CancellationToken;

use super::shared::controller_ref_manager::ControllerRefManager;
use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::{DependentHandler, Enqueue, OwnKindHandler};
use super::shared::object::owner_index;
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::revisions::{POD_HASH, Revisions};
use crate::clock::Clock;
use backoff::Backoffs;
use handlers::NodeHandler;
use kube_machinery::conventions::label_selector;
use sync::DaemonSetSync;

/// The index of pods by the uid of their DaemonSet.
const OWNER: &str = "owner";

const EVENT_SOURCE: EventSource =
    EventSource { component: "daemonset-controller", api_version: "apps/v1", kind: "DaemonSet" };

/// Runs the controller for all DaemonSets of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already. A cluster without Node objects has no daemon pods.
///
/// # Errors
/// An informer failed, or the work on a DaemonSet panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    node_informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    sets: Lister<DynamicObject>,
    nodes: Lister<DynamicObject>,
    pods_by_owner: Index<Pod>,
    revisions: Revisions,
    queue: WorkQueue<String>,
    /// The last status that the controller wrote for each DaemonSet. The cache must have it before the next sync.
    statuses: OwnWrites,
    /// The last write of a pod for each DaemonSet. The cache must have it before the next sync.
    pod_writes: OwnWrites,
    /// The waits before failed pods are replaced.
    backoffs: Backoffs,
    clock: Clock,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = DaemonSet;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let (kind, kind_of_nodes) = (ApiResource::erase::<DaemonSet>(&()), ApiResource::erase::<Node>(&()));
        let (informer, node_informer) = (factory.dynamic_informer(&kind), factory.dynamic_informer(&kind_of_nodes));
        let pod_informer = factory.informer::<Pod>();
        Ok(Self {
            sets: Lister::new(informer.reader(), (&kind).into()),
            nodes: Lister::new(node_informer.reader(), (&kind_of_nodes).into()),
            pods_by_owner: pod_informer.index(OWNER, |pod| owner_index(&pod.metadata))?,
            revisions: Revisions::new(client.clone(), kind.clone(), POD_HASH, factory)?,
            kind,
            kind_of_pods: ApiResource::erase::<Pod>(&()),
            informer,
            node_informer,
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
        let sets = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let nodes = self.node_informer.add_event_handler(NodeHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(DependentHandler(self.clone()))?;
        let revisions = self.revisions.informer.add_event_handler(DependentHandler(self.clone()))?;
        Ok(vec![sets.synced(), nodes.synced(), pods.synced(), revisions.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles one DaemonSet: replaces, creates and deletes its pods, and writes its status. Upstream:
    /// `syncDaemonSet`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        let has_caught_up = self.statuses.has_caught_up(key, &self.informer.reader()).await
            && self.pod_writes.has_caught_up(key, &self.pod_informer.reader()).await
            && self.revisions.has_caught_up(key).await;
        if !has_caught_up {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let Ok(set) = self.sets.get(key) else { return Ok(()) };
        let selector = label_selector::read(&set.data["spec"]["selector"].clone().into())?;
        // The revisions of a DaemonSet that is being deleted may be gone already, and the status depends on them. An
        // empty selector would select all pods of the namespace.
        if set.metadata.deletion_timestamp.is_some() || selector.is_everything() {
            return Ok(());
        }
        let manager = ControllerRefManager { client: &self.client, owner: &set, kind: &self.kind, selector: &selector };
        let pods = manager.claim(&self.pods_by_owner, &self.kind_of_pods, |_| true).await?;
        let history = self.revisions.history(key, &set, &selector).await?;
        let nodes = self.nodes.list(&LabelSelector::everything());
        let mut sync = DaemonSetSync::new(self, key, set, nodes, pods, self.revisions.hash_of(&history.current));
        let done = sync.advance(&history).await;
        let written = sync.write_status().await; // also after a failure
        done.and(written)
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.sets
    }

    fn forget(&self, key: &str, _: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
        self.pod_writes.forget(key);
        self.revisions.forget(key);
        self.backoffs.forget(key);
    }
}
