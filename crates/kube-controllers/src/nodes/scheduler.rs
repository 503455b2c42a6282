//! The scheduler: watches the nodes, and chooses for each pod the fitting node with the fewest pods. The kubelet asks
//! it when a pod comes to its binding stage. Upstream: `pkg/scheduler`, which has more filters and scores.

mod fit;
mod known;

use crate::nodes::dynamic::api_resource;
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use foldhash::HashMap;
use futures::TryStreamExt;
use kube_client::api::{DynamicObject, ListParams, WatchEvent, WatchParams};
use kube_client::{Api, Client};
use kube_core::ResourceExt;
use tokio::sync::watch;

use super::node;
use super::pod;
pub(crate) use fit::{Tried, Unfit};
pub(crate) use known::KnownNodes;
use kube_machinery::kinds::NODES;
use kube_machinery::value::Value;

/// The delay before the nodes are listed again.
const RETRY: Duration = Duration::from_secs(1);

/// The way in which pods are scheduled while there is no Node object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nodeless {
    /// The cluster was created without nodes: all pods run on one node that has no Node object.
    OnTheFirst,
    /// The nodes were deleted: pods wait for new ones.
    Wait,
}

/// Chooses nodes for pods. Knows the nodes, and the number of pods on each.
#[derive(Clone, Debug)]
pub(crate) struct Scheduler {
    /// `None` until the nodes were listed.
    nodes: watch::Receiver<Option<KnownNodes>>,
    load: Arc<Mutex<Load>>,
    nodeless: Nodeless,
}

/// The load of the nodes: the pods on each that have not ended.
#[derive(Debug, Default)]
struct Load {
    /// The node of each pod, by uid.
    nodes: HashMap<String, String>,
    /// The number of pods on each node.
    counts: BTreeMap<String, usize>,
}

impl Load {
    fn put(&mut self, uid: &str, node: &str) {
        if self.nodes.get(uid).is_none_or(|before| before != node) {
            self.take(uid);
            self.nodes.insert(uid.to_owned(), node.to_owned());
            *self.counts.entry(node.to_owned()).or_default() += 1;
        }
    }

    fn take(&mut self, uid: &str) {
        if let Some(node) = self.nodes.remove(uid)
            && let Some(count) = self.counts.get_mut(&node)
        {
            *count -= 1;
        }
    }

    fn on(&self, node: &str) -> usize {
        self.counts.get(node).copied().unwrap_or_default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) node: String,
    pub(crate) address: String,
}

impl Scheduler {
    /// Creates a scheduler, and the task that watches the nodes.
    pub(crate) fn new(client: Client, nodeless: Nodeless) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (sender, nodes) = watch::channel(None);
        let task = async move {
            loop {
                if let Err(error) = follow(&client, &sender).await {
                    tracing::debug!(%error, "the scheduler lists the nodes again");
                }
                tokio::time::sleep(RETRY).await;
            }
        };
        (Self { nodes, load: Arc::default(), nodeless }, task)
    }

    /// Waits until the nodes were listed. Upstream: `WaitForCacheSync`.
    pub(crate) async fn synced(&mut self) {
        self.nodes().await;
    }

    /// Chooses the fitting node with the fewest pods, the first by name among equals, and counts the pod there. `tried`
    /// remembers the pod's earlier attempts.
    pub(crate) async fn assign(&mut self, pod: &Value, uid: &str, tried: &mut Tried) -> Result<Assignment, Unfit> {
        let known = self.nodes().await;
        if known.nodes.is_empty() && self.nodeless == Nodeless::OnTheFirst {
            return Ok(Assignment { node: node::name(1), address: node::FIRST_ADDRESS.to_owned() });
        }
        let fitting = tried.fitting(&known, pod)?;
        let mut load = self.lock();
        let node = fitting.into_iter().min_by_key(|name| (load.on(name), *name)).cloned().unwrap_or_default();
        load.put(uid, &node);
        let address = address(&known, &node);
        Ok(Assignment { node, address })
    }

    /// Returns the name and the address of the node of a pod that has a node already.
    pub(crate) async fn assignment_of(&mut self, node: &str) -> Assignment {
        let known = self.nodes().await;
        Assignment { node: node.to_owned(), address: address(&known, node) }
    }

    /// Returns true if a node of this name exists. In a cluster that was created without nodes, every node does.
    pub(crate) async fn has(&mut self, node: &str) -> bool {
        let known = self.nodes().await;
        known.nodes.contains_key(node) || (known.nodes.is_empty() && self.nodeless == Nodeless::OnTheFirst)
    }

    /// Waits until a node changes.
    pub(crate) async fn changed(&mut self) {
        if self.nodes.changed().await.is_err() {
            std::future::pending::<()>().await; // the task that watches the nodes has ended
        }
    }

    /// Counts a pod on its node, or stops counting it if it has ended.
    pub(crate) fn observe(&self, pod: &Value) {
        let over = matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
        let uid = pod::uid(pod);
        match pod["spec"]["nodeName"].as_str() {
            Some(node) if !over => self.lock().put(uid, node),
            Some(_) => self.lock().take(uid),
            None => {} // it may be bound in a moment
        }
    }

    /// Stops counting a pod that was deleted or could not be bound.
    pub(crate) fn forget(&self, uid: &str) {
        self.lock().take(uid);
    }

    async fn nodes(&mut self) -> KnownNodes {
        match self.nodes.wait_for(Option::is_some).await {
            Ok(nodes) => nodes.clone().unwrap_or_default(),
            Err(_) => KnownNodes::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Load> {
        self.load.lock().expect("nothing panics under this lock")
    }
}

/// Returns the address of a node, or that of the first node if the node is unknown.
fn address(known: &KnownNodes, name: &str) -> String {
    let addresses = known.nodes.get(name).and_then(|node| node["status"]["addresses"].as_array());
    let internal = addresses.into_iter().flatten().find(|address| address["type"] == "InternalIP");
    internal.and_then(|address| address["address"].as_str()).unwrap_or(node::FIRST_ADDRESS).to_owned()
}

/// Lists and watches the nodes. Returns when the watch ends, or with an error.
async fn follow(client: &Client, sender: &watch::Sender<Option<KnownNodes>>) -> Result<(), kube_client::Error> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &api_resource(NODES));
    let list = api.list(&ListParams::default()).await?;
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut known = sender.borrow().clone().unwrap_or_default();
    let listed: BTreeMap<String, &DynamicObject> = list.items.iter().map(|node| (node.name_any(), node)).collect();
    let gone: Vec<String> = known.nodes.keys().filter(|name| !listed.contains_key(*name)).cloned().collect();
    gone.iter().for_each(|name| known.set(name, None));
    listed.iter().for_each(|(name, node)| known.set(name, Some(relevant_fields(node))));
    sender.send_replace(Some(known.clone()));
    let mut events = pin!(api.watch(&WatchParams::default(), &version).await?);
    while let Some(event) = events.try_next().await? {
        match event {
            WatchEvent::Added(node) | WatchEvent::Modified(node) => {
                known.set(&node.name_any(), Some(relevant_fields(&node)));
            }
            WatchEvent::Deleted(node) => {
                known.set(&node.name_any(), None);
            }
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(_) => break,
        }
        sender.send_replace(Some(known.clone()));
    }
    Ok(())
}

fn relevant_fields(node: &DynamicObject) -> Value {
    kube_machinery::value::json!({
        "name": node.metadata.name, "labels": node.metadata.labels, "spec": node.data["spec"],
        "status": {"addresses": node.data["status"]["addresses"]},
    })
}
