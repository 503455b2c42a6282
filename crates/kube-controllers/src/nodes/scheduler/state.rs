//! The nodes with their pods, and the pods that wait. Every change that gives a waiting pod room schedules it at once,
//! in the order of the queue. Upstream: the scheduler's cache and its scheduling cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use foldhash::HashMap;

use super::filters::rejection;
use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use super::queue::{Group, Outcome, Pending, Queue};
use super::unfit::Diagnosis;
use super::{Assignment, Nodeless};
use crate::nodes::node;
use crate::nodes::requests::Received;
use kube_machinery::value::Value;

/// The search for a node ends after this many that fit, so that a pod costs the same in a cluster of any size. The next
/// search begins behind the last node. Upstream: `numFeasibleNodesToFind`.
const MOST_FEASIBLE: usize = 100;

pub(super) struct State {
    nodeless: Nodeless,
    nodes: BTreeMap<String, NodeInfo>,
    /// The node of each pod that has not ended, by the pod's uid.
    placed: HashMap<String, String>,
    pub(super) queue: Queue,
    /// The node where the last search ended before it had seen all nodes.
    last: String,
}

impl State {
    pub(super) fn new(nodeless: Nodeless) -> Self {
        Self {
            nodeless,
            nodes: BTreeMap::new(),
            placed: HashMap::default(),
            queue: Queue::default(),
            last: String::new(),
        }
    }

    /// Chooses a node for a pod, and counts the pod there: of the nodes where it fits the one with the fewest pods, and
    /// the first by name among equals. Upstream scores the nodes by more than that.
    pub(super) fn schedule(&mut self, pending: &Pending) -> Outcome {
        let spec = &pending.pod["spec"];
        let (mut diagnosis, mut best, mut feasible, mut end) = (Diagnosis::default(), None, 0, None);
        let behind = (Bound::Excluded(self.last.as_str()), Bound::Unbounded);
        let before = (Bound::Unbounded, Bound::Included(self.last.as_str()));
        for (name, info) in self.nodes.range::<str, _>(behind).chain(self.nodes.range::<str, _>(before)) {
            let Some(node) = &info.node else { continue };
            if let Some(rejection) = rejection(node, info, spec, &pending.info) {
                diagnosis.add(rejection);
                continue;
            }
            let rank = (info.pod_count(), name, node);
            best = best.filter(|(count, first, _)| (*count, *first) < (rank.0, rank.1)).or(Some(rank));
            feasible += 1;
            if feasible == MOST_FEASIBLE {
                end = Some(name.clone());
                break;
            }
        }
        let Some((_, name, node)) = best else {
            return self.without_nodes().ok_or_else(|| diagnosis.unfit(spec));
        };
        let assignment = Assignment { node: name.clone(), address: node.address.clone() };
        self.last = end.unwrap_or_default();
        self.put(&pending.uid, &assignment.node, pending.info.clone());
        Ok(assignment)
    }

    /// Returns the node for all pods of a cluster that has no Node object, if pods do not wait for one there.
    fn without_nodes(&self) -> Option<Assignment> {
        let has_node = self.nodes.values().any(|info| info.node.is_some());
        let on_the_first = self.nodeless == Nodeless::OnTheFirst && !has_node;
        on_the_first.then(|| Assignment { node: node::name(1), address: node::FIRST_ADDRESS.to_owned() })
    }

    /// Returns true if the node exists. In a cluster that was created without nodes, every node does.
    pub(super) fn has(&self, node: &str) -> bool {
        self.nodes.get(node).is_some_and(|info| info.node.is_some()) || self.without_nodes().is_some()
    }

    /// Returns the address of a node, or that of the first node if the node is unknown.
    pub(super) fn address(&self, node: &str) -> &str {
        let known = self.nodes.get(node).and_then(|info| info.node.as_ref());
        known.map_or(node::FIRST_ADDRESS, |node| &node.address)
    }

    pub(super) fn node_names(&self) -> impl Iterator<Item = &String> {
        self.nodes.keys()
    }

    /// Adds, changes or removes a Node object. Returns true if the scheduler sees a difference.
    pub(super) fn set_node(&mut self, name: &str, node: Option<Node>) -> bool {
        let info = self.nodes.entry(name.to_owned()).or_default();
        let is_changed = info.node != node;
        info.node = node;
        self.remove_if_empty(name);
        is_changed
    }

    /// Counts a pod on the node that it is bound to.
    pub(super) fn bound(&mut self, uid: &str, node: &str, pod: &Value) {
        let before = self.placed.get(uid).filter(|before| *before == node);
        let known = before.and_then(|_| self.nodes.get(node)?.pod(uid));
        if known.is_some_and(|known| known.is_current(pod)) {
            return;
        }
        let freed = self.put(uid, node, Arc::new(PodInfo::of(pod)));
        let assignment = Assignment { node: node.to_owned(), address: self.address(node).to_owned() };
        self.report(uid, Ok(assignment)); // if it waits, another scheduler has bound it
        if let Some(freed) = freed {
            self.retry_on(&freed); // it may be on another node than it was assumed, or request less than before
        }
    }

    /// Tries to schedule a pod again whose spec has changed while it waits.
    pub(super) fn changed(&mut self, uid: &str, pod: &Received) {
        if self.queue.get_mut(uid).is_some_and(|waiting| !waiting.pending.info.is_current(pod)) {
            let pending = Pending::new(uid, pod.clone());
            self.queue.replace(pending.clone());
            let outcome = self.schedule(&pending);
            self.report(uid, outcome);
        }
    }

    /// Stops counting a pod that has ended, was deleted or could not be bound. It waits no longer, either.
    pub(super) fn forget(&mut self, uid: &str) {
        self.queue.remove(uid);
        if let Some(node) = self.take(uid) {
            self.retry_on(&node);
        }
    }

    /// Forgets the pods that are not among those that exist.
    pub(super) fn retain(&mut self, existing: &BTreeSet<String>) {
        let gone: Vec<String> = self.placed.keys().filter(|uid| !existing.contains(*uid)).cloned().collect();
        gone.iter().for_each(|uid| self.forget(uid));
    }

    /// Tries to schedule all pods that wait, after a change of nodes.
    pub(super) fn retry_all(&mut self) {
        self.retry(|_, _| true);
    }

    /// Tries to schedule the pods that fit on a node where something was freed.
    fn retry_on(&mut self, node: &str) {
        self.retry(|state, pending| state.fits(node, pending));
    }

    fn fits(&self, name: &str, pending: &Pending) -> bool {
        self.nodes.get(name).is_some_and(|info| {
            let spec = &pending.pod["spec"];
            info.node.as_ref().is_some_and(|node| rejection(node, info, spec, &pending.info).is_none())
        })
    }

    /// Tries to schedule the pods that may fit, in the order of the queue. A group is left once one of its pods does not
    /// fit, because the others would not fit either.
    fn retry(&mut self, may_fit: impl Fn(&Self, &Pending) -> bool) {
        let mut groups = self.queue.groups();
        while let Some((_, group)) = groups.pop_first() {
            let Some((_, pending)) = self.queue.first_of(&group) else { continue };
            let pending = pending.clone();
            if !may_fit(self, &pending) {
                continue;
            }
            let outcome = self.schedule(&pending);
            match &outcome {
                Ok(_) => self.report(&pending.uid, outcome),
                Err(_) => {
                    self.report_to_group(&group, &outcome);
                    continue;
                }
            }
            if let Some((rank, _)) = self.queue.first_of(&group) {
                groups.insert(rank, group);
            }
        }
    }

    fn report_to_group(&mut self, group: &Group, outcome: &Outcome) {
        for uid in self.queue.uids_of(group) {
            self.report(&uid, outcome.clone());
        }
    }

    /// Sends the task of a waiting pod an outcome that differs from the last one. From there on the task has work to do.
    fn report(&mut self, uid: &str, outcome: Outcome) {
        let Some(waiting) = self.queue.get_mut(uid) else { return };
        let is_scheduled = outcome.is_ok();
        if *waiting.outcome.borrow() != outcome {
            waiting.resting = None;
            drop(waiting.outcome.send_replace(outcome));
        }
        if is_scheduled {
            self.queue.remove(uid);
        }
    }

    /// Counts a pod on a node. Returns the node that it was counted on before.
    fn put(&mut self, uid: &str, node: &str, pod: Arc<PodInfo>) -> Option<String> {
        let before = self.take(uid);
        self.placed.insert(uid.to_owned(), node.to_owned());
        self.nodes.entry(node.to_owned()).or_default().add(uid, pod);
        before
    }

    /// Returns the node that the pod was counted on.
    fn take(&mut self, uid: &str) -> Option<String> {
        let node = self.placed.remove(uid)?;
        if let Some(info) = self.nodes.get_mut(&node) {
            info.remove(uid);
        }
        self.remove_if_empty(&node);
        Some(node)
    }

    fn remove_if_empty(&mut self, node: &str) {
        if self.nodes.get(node).is_some_and(NodeInfo::is_empty) {
            self.nodes.remove(node);
        }
    }
}

#[cfg(test)]
mod tests;
