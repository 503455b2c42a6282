//! The scheduler's view of a node: the Node object, the pods on the node, and the sum of their requests. Upstream:
//! `NodeInfo`.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use kube_client::api::DynamicObject;
use kube_machinery::kinds::amounts;
use kube_machinery::value::{SmolStr, Value, json};

use super::pod_info::{HostPort, PodInfo};
use crate::nodes::node;

/// A node and its pods. The node may be unknown, because a pod can be bound to a node that does not exist.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeInfo {
    pub(super) node: Option<Arc<Node>>,
    /// The pods that have not ended, by uid.
    pods: HashMap<SmolStr, Arc<PodInfo>>,
    /// The sum of the pods' requests.
    requested: BTreeMap<SmolStr, i64>,
}

/// The fields of a Node object that count for the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) labels: Value,
    pub(super) spec: Value,
    pub(super) address: String,
    /// The resources that pods can have, in the units of [`amounts`].
    allocatable: BTreeMap<String, i64>,
}

impl Node {
    pub(super) fn of(object: &DynamicObject) -> Self {
        let node = json!({
            "name": object.metadata.name, "labels": object.metadata.labels, "spec": object.data["spec"],
            "status": {
                "addresses": object.data["status"]["addresses"], "allocatable": object.data["status"]["allocatable"],
            },
        });
        Self::from_fields(&node)
    }

    /// Reads a node that has its name and its labels beside `spec` and `status`.
    pub(super) fn from_fields(node: &Value) -> Self {
        let mut addresses = node["status"]["addresses"].as_array().into_iter().flatten();
        let internal = addresses.find(|address| address["type"] == "InternalIP");
        let address = internal.and_then(|address| address["address"].as_str()).unwrap_or(node::FIRST_ADDRESS);
        Self {
            name: node["name"].as_str().unwrap_or_default().to_owned(),
            labels: node["labels"].clone(),
            spec: node["spec"].clone(),
            address: address.to_owned(),
            allocatable: amounts(&node["status"]["allocatable"]),
        }
    }

    /// Returns the amount of a resource that pods can have; 0 if the node does not name the resource.
    pub(super) fn allocatable(&self, resource: &str) -> i64 {
        self.allocatable.get(resource).copied().unwrap_or_default()
    }

    /// Returns true if the node names the resource.
    pub(super) fn names(&self, resource: &str) -> bool {
        self.allocatable.contains_key(resource)
    }

    /// Returns true if a kubelet, or another client, has reported the node's resources.
    pub(super) fn has_resources(&self) -> bool {
        !self.allocatable.is_empty()
    }
}

impl NodeInfo {
    pub(super) fn add(&mut self, pod: Arc<PodInfo>) {
        for (name, amount) in &pod.requests {
            let sum = self.requested.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*amount);
        }
        self.pods.insert(pod.uid.clone(), pod);
    }

    pub(super) fn remove(&mut self, uid: &str) -> Option<Arc<PodInfo>> {
        let pod = self.pods.remove(uid)?;
        for (name, amount) in &pod.requests {
            if let Some(sum) = self.requested.get_mut(name) {
                *sum = sum.saturating_sub(*amount);
            }
        }
        Some(pod)
    }

    pub(super) fn pod(&self, uid: &str) -> Option<&Arc<PodInfo>> {
        self.pods.get(uid)
    }

    /// Returns the pods in any order.
    pub(super) fn pods(&self) -> impl Iterator<Item = &Arc<PodInfo>> {
        self.pods.values()
    }

    pub(super) fn pod_count(&self) -> usize {
        self.pods.len()
    }

    /// Returns true if neither a Node object nor a pod is here.
    pub(super) fn is_empty(&self) -> bool {
        self.node.is_none() && self.pods.is_empty()
    }

    /// Returns the sum that the pods request of a resource.
    pub(super) fn requested(&self, resource: &str) -> i64 {
        self.requested.get(resource).copied().unwrap_or_default()
    }

    pub(super) fn ports(&self) -> impl Iterator<Item = &HostPort> {
        self.pods.values().flat_map(|pod| &pod.ports)
    }
}
