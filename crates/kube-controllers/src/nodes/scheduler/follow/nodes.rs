//! Takes over the nodes. After each change, tries the waiting pods again.

use std::collections::BTreeMap;

use kube_client::api::DynamicObject;
use kube_core::ResourceExt;
use kube_machinery::kinds::{NODES, Resource};

use super::{Change, Follow};
use crate::nodes::scheduler::Scheduler;
use crate::nodes::scheduler::node_info::Node;

pub(in crate::nodes::scheduler) struct FollowNodes(pub(in crate::nodes::scheduler) Scheduler);

impl Follow for FollowNodes {
    const RESOURCE: &'static Resource = NODES;

    fn replace(&self, list: &[DynamicObject]) {
        let listed: BTreeMap<String, Node> = list.iter().map(|node| (node.name_any(), Node::of(node))).collect();
        let mut gone: Vec<String> = self.0.lock().cache.node_names().cloned().collect();
        gone.retain(|name| !listed.contains_key(name));
        let gone = gone.into_iter().map(|name| (name, None));
        self.set(gone.chain(listed.into_iter().map(|(name, node)| (name, Some(node)))));
    }

    fn change(&self, changes: &[Change]) {
        self.set(changes.iter().map(Change::named).map(|(name, node)| (name, node.map(Node::of))));
    }
}

impl FollowNodes {
    fn set(&self, nodes: impl Iterator<Item = (String, Option<Node>)>) {
        let mut state = self.0.lock();
        let mut is_changed = false;
        for (name, node) in nodes {
            is_changed |= state.set_node(&name, node);
        }
        if is_changed {
            state.retry_all();
        }
    }
}
