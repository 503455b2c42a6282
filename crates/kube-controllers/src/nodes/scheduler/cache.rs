//! The nodes with their pods, the namespaces and the storage, as the filters see them. Upstream: the scheduler's cache
//! and its snapshot.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use foldhash::HashMap;
use kube_machinery::value::SmolStr;

use super::namespaces::Namespaces;
use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use super::storage::Storage;

#[derive(Default)]
pub(super) struct Cache {
    nodes: BTreeMap<String, NodeInfo>,
    /// The node of each pod that has not ended, by the pod's uid.
    placed: HashMap<SmolStr, SmolStr>,
    /// The nodes with pods that have terms of anti-affinity.
    anti_affine: BTreeSet<String>,
    /// The number of counted pods, by the priorities that occur.
    priorities: BTreeMap<i64, usize>,
    pub(super) namespaces: Namespaces,
    pub(super) storage: Storage,
}

/// A pod that was counted on a node.
pub(super) struct Placed {
    pub(super) node: SmolStr,
    pub(super) pod: Arc<PodInfo>,
}

impl Cache {
    pub(super) fn node_names(&self) -> impl Iterator<Item = &String> {
        self.nodes.keys()
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeInfo> {
        self.nodes.values()
    }

    /// Returns all nodes by name, beginning behind `last`.
    pub(super) fn nodes_behind(&self, last: &str) -> impl Iterator<Item = (&String, &NodeInfo)> {
        let behind = self.nodes.range::<str, _>((Bound::Excluded(last), Bound::Unbounded));
        behind.chain(self.nodes.range::<str, _>((Bound::Unbounded, Bound::Included(last))))
    }

    pub(super) fn nodes_with_anti_affinity(&self) -> impl Iterator<Item = &NodeInfo> {
        self.anti_affine.iter().filter_map(|name| self.nodes.get(name))
    }

    /// Returns a node, if a Node object of this name exists.
    pub(super) fn node(&self, name: &str) -> Option<(&Node, &NodeInfo)> {
        let info = self.nodes.get(name)?;
        Some((info.node.as_ref()?, info))
    }

    /// Returns the pod, if it is counted on this node.
    pub(super) fn pod_on(&self, node: &str, uid: &str) -> Option<&Arc<PodInfo>> {
        self.placed.get(uid).filter(|placed| *placed == node)?;
        self.nodes.get(node)?.pod(uid)
    }

    pub(super) fn uids(&self) -> impl Iterator<Item = &SmolStr> {
        self.placed.keys()
    }

    /// Adds, changes or removes a Node object. Returns true if the scheduler sees a difference.
    pub(super) fn set_node(&mut self, name: &str, node: Option<Node>) -> bool {
        let node = node.map(Arc::new);
        let info = self.nodes.entry(name.to_owned()).or_default();
        let is_changed = info.node != node;
        info.node = node;
        self.remove_if_empty(name);
        is_changed
    }

    /// Counts a pod on a node. Returns where it was counted before.
    pub(super) fn put(&mut self, node: &str, pod: Arc<PodInfo>) -> Option<Placed> {
        let before = self.take(&pod.uid);
        if !pod.anti_affinity.is_empty() {
            self.anti_affine.insert(node.to_owned());
        }
        *self.priorities.entry(pod.priority).or_default() += 1;
        self.placed.insert(pod.uid.clone(), node.into());
        self.nodes.entry(node.to_owned()).or_default().add(pod);
        before
    }

    /// Stops counting a pod. Returns where it was counted.
    pub(super) fn take(&mut self, uid: &str) -> Option<Placed> {
        let node = self.placed.remove(uid)?;
        let info = self.nodes.get_mut(&*node)?;
        let pod = info.remove(uid)?;
        if !pod.anti_affinity.is_empty() && info.pods().all(|pod| pod.anti_affinity.is_empty()) {
            self.anti_affine.remove(&*node);
        }
        self.remove_priority(pod.priority);
        self.remove_if_empty(&node);
        Some(Placed { node, pod })
    }

    /// Returns true if any counted pod has a lower priority.
    pub(super) fn has_pods_below(&self, priority: i64) -> bool {
        self.priorities.first_key_value().is_some_and(|(lowest, _)| *lowest < priority)
    }

    fn remove_priority(&mut self, priority: i64) {
        if let Some(count) = self.priorities.get_mut(&priority) {
            *count -= 1;
            if *count == 0 {
                self.priorities.remove(&priority);
            }
        }
    }

    fn remove_if_empty(&mut self, node: &str) {
        if self.nodes.get(node).is_some_and(NodeInfo::is_empty) {
            self.nodes.remove(node);
        }
    }
}
