//! The scheduler: chooses for each pod a node with room for it. The kubelet asks it when a pod comes to its binding
//! stage. A pod that fits on no node waits until a change of the nodes or of their pods gives it room. Upstream:
//! `pkg/scheduler`, which has more filters, and preempts pods.

mod attempt;
mod filters;
mod node_info;
mod pod_info;
mod queue;
mod signature;
mod state;
mod unfit;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::StreamExt;
use kube_client::api::{DynamicObject, ListParams, WatchEvent, WatchParams};
use kube_client::{Api, Client};
use kube_core::ResourceExt;
use tokio::sync::watch;

use self::node_info::Node;
use self::queue::Pending;
use self::state::State;
use super::dynamic::api_resource;
use super::pod;
use super::progress::Progress;
use super::requests::Received;
pub(crate) use attempt::Attempt;
use kube_machinery::kinds::NODES;
pub(crate) use unfit::Unfit;

/// The delay before the nodes are listed again.
const RETRY: Duration = Duration::from_secs(1);

/// The number of node changes that are handled together, if they came at once.
const CHUNK: usize = 1_024;

/// The way in which pods are scheduled while there is no Node object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodeless {
    /// The cluster was created without nodes: all pods run on one node that has no Node object.
    OnTheFirst,
    /// The nodes were deleted: pods wait for new ones.
    Wait,
}

/// Chooses nodes for pods.
#[derive(Clone)]
pub(crate) struct Scheduler {
    state: Arc<Mutex<State>>,
    /// Whether the nodes were listed. It is sent again after each change of nodes.
    listed: watch::Receiver<bool>,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) node: String,
    pub(crate) address: String,
}

impl Scheduler {
    /// Creates a scheduler, and the task that watches the nodes.
    pub(crate) fn new(
        client: Client,
        nodeless: Nodeless,
        progress: watch::Sender<Progress>,
    ) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (sender, listed) = watch::channel(false);
        let scheduler = Self { state: Arc::new(Mutex::new(State::new(nodeless))), listed, progress };
        let follower = scheduler.clone();
        let task = async move {
            loop {
                if let Err(error) = follower.follow(&client, &sender).await {
                    tracing::debug!(%error, "the scheduler lists the nodes again");
                }
                tokio::time::sleep(RETRY).await;
            }
        };
        (scheduler, task)
    }

    /// Waits until the nodes were listed. Upstream: `WaitForCacheSync`.
    pub(crate) async fn synced(&mut self) {
        if self.listed.wait_for(|listed| *listed).await.is_err() {
            std::future::pending::<()>().await; // the task that watches the nodes has ended
        }
    }

    /// Chooses a node for a pod, and counts the pod there. If the pod fits on no node, it waits in the queue as long as
    /// the returned attempt lives.
    pub(crate) async fn assign(&mut self, pod: &Received, uid: &str) -> Result<Assignment, Attempt> {
        self.synced().await;
        let pending = Pending::new(uid, pod.clone());
        let mut state = self.lock();
        let outcome = state.schedule(&pending);
        outcome.map_err(|unfit| Attempt::new(self.clone(), &mut state, pending, unfit))
    }

    /// Returns the name and the address of the node of a pod that has a node already.
    pub(crate) async fn assignment_of(&mut self, node: &str) -> Assignment {
        self.synced().await;
        Assignment { node: node.to_owned(), address: self.lock().address(node).to_owned() }
    }

    /// Returns true if a node of this name exists. In a cluster that was created without nodes, every node does.
    pub(crate) async fn has(&mut self, node: &str) -> bool {
        self.synced().await;
        self.lock().has(node)
    }

    /// Waits until a node changes.
    pub(crate) async fn changed(&mut self) {
        if self.listed.changed().await.is_err() {
            std::future::pending::<()>().await; // the task that watches the nodes has ended
        }
    }

    /// Counts a pod that is bound or has ended, and schedules a waiting pod again whose spec has changed.
    pub(crate) fn observe(&self, pod: &Received) {
        let over = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let uid = pod::uid(pod);
        match pod["spec"]["nodeName"].as_str() {
            Some(node) if !over => self.lock().bound(uid, node, pod),
            Some(_) => self.lock().forget(uid),
            None if pod["metadata"]["deletionTimestamp"].is_string() => self.lock().forget(uid),
            None => self.lock().changed(uid, pod),
        }
    }

    /// Stops counting a pod that was deleted or could not be bound.
    pub(crate) fn forget(&self, uid: &str) {
        self.lock().forget(uid);
    }

    /// Forgets the pods that are not among those that exist, after a gap in the watch of pods.
    pub(crate) fn retain(&self, existing: &BTreeSet<String>) {
        self.lock().retain(existing);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }

    /// Lists and watches the nodes. Returns when the watch ends, or with an error.
    async fn follow(&self, client: &Client, listed: &watch::Sender<bool>) -> Result<(), kube_client::Error> {
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &api_resource(NODES));
        let list = api.list(&ListParams::default()).await?;
        let version = list.metadata.resource_version.unwrap_or_default();
        self.replace(&list.items);
        listed.send_replace(true);
        let mut events = pin!(api.watch(&WatchParams::default(), &version).await?.ready_chunks(CHUNK));
        while let Some(chunk) = events.next().await {
            let mut nodes = Vec::new();
            for event in chunk {
                match event? {
                    WatchEvent::Added(node) | WatchEvent::Modified(node) => {
                        nodes.push((node.name_any(), Some(Node::of(&node))));
                    }
                    WatchEvent::Deleted(node) => nodes.push((node.name_any(), None)),
                    WatchEvent::Bookmark(_) => {}
                    WatchEvent::Error(_) => return Ok(()),
                }
            }
            self.set_nodes(nodes);
            listed.send_replace(true);
        }
        Ok(())
    }

    /// Replaces all Node objects by those of a list.
    fn replace(&self, list: &[DynamicObject]) {
        let listed: BTreeMap<String, Node> = list.iter().map(|node| (node.name_any(), Node::of(node))).collect();
        let gone = self.lock().node_names().filter(|name| !listed.contains_key(*name)).cloned().collect::<Vec<_>>();
        let gone = gone.into_iter().map(|name| (name, None));
        self.set_nodes(gone.chain(listed.into_iter().map(|(name, node)| (name, Some(node)))));
    }

    fn set_nodes(&self, nodes: impl IntoIterator<Item = (String, Option<Node>)>) {
        let mut state = self.lock();
        let mut is_changed = false;
        for (name, node) in nodes {
            is_changed |= state.set_node(&name, node);
        }
        if is_changed {
            state.retry_all();
        }
    }
}
