//! The cluster as the scheduler sees it, and the pods that wait. Every change that lets a waiting pod fit schedules it
//! at once, in the order of the queue. Upstream: the scheduling cycle and the event handlers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cache::{Cache, Placed};
use super::cycle::Cycle;
use super::node_info::Node;
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
    pub(super) cache: Cache,
    pub(super) queue: Queue,
    /// The node where the last search ended before it had seen all nodes.
    last: String,
}

impl State {
    pub(super) fn new(nodeless: Nodeless) -> Self {
        Self { nodeless, cache: Cache::default(), queue: Queue::default(), last: String::new() }
    }

    /// Chooses a node for a new pod, counts the pod there, and schedules the waiting pods that the pod lets fit.
    pub(super) fn schedule(&mut self, pending: &Pending) -> Outcome {
        let outcome = self.schedule_one(pending);
        if outcome.is_ok() {
            self.retry_dependents(vec![pending.info.clone()]);
        }
        outcome
    }

    /// Chooses a node for a pod, and counts the pod there: of the nodes where it fits the one with the fewest pods, and
    /// the first by name among equals. Upstream scores the nodes by more than that.
    fn schedule_one(&mut self, pending: &Pending) -> Outcome {
        let (mut diagnosis, mut best, mut feasible, mut end) = (Diagnosis::default(), None, 0, None);
        let cycle = Cycle::begin(pending, &self.cache);
        for (name, info) in self.cache.nodes_behind(&self.last) {
            let Some(node) = &info.node else { continue };
            if let Some(rejection) = cycle.filter(node, info) {
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
            return self.without_nodes().ok_or_else(|| diagnosis.unfit(&pending.pod["spec"]));
        };
        let assignment = Assignment { node: name.clone(), address: node.address.clone() };
        self.last = end.unwrap_or_default();
        self.cache.put(&pending.uid, &assignment.node, pending.info.clone());
        Ok(assignment)
    }

    /// Returns the node for all pods of a cluster that has no Node object, if pods do not wait for one there.
    fn without_nodes(&self) -> Option<Assignment> {
        let has_node = self.cache.nodes().any(|info| info.node.is_some());
        let on_the_first = self.nodeless == Nodeless::OnTheFirst && !has_node;
        on_the_first.then(|| Assignment { node: node::name(1), address: node::FIRST_ADDRESS.to_owned() })
    }

    /// Returns true if the node exists. In a cluster that was created without nodes, every node does.
    pub(super) fn has(&self, node: &str) -> bool {
        self.cache.node(node).is_some() || self.without_nodes().is_some()
    }

    /// Returns the address of a node, or that of the first node if the node is unknown.
    pub(super) fn address(&self, node: &str) -> &str {
        self.cache.node(node).map_or(node::FIRST_ADDRESS, |(node, _)| &node.address)
    }

    /// Adds, changes or removes a Node object. Returns true if the scheduler sees a difference.
    pub(super) fn set_node(&mut self, name: &str, node: Option<Node>) -> bool {
        self.cache.set_node(name, node)
    }

    /// Sets the labels of a namespace or removes it, and tries the pods for which that can make a difference.
    pub(super) fn set_namespace(&mut self, name: &str, labels: Option<Value>) {
        let is_changed = self.cache.namespaces.set(name, labels);
        let has_anti_affinity = self.cache.nodes_with_anti_affinity().next().is_some();
        if is_changed {
            let placed = self.retry(|_, pending| has_anti_affinity || pending.info.has_terms());
            self.retry_dependents(placed);
        }
    }

    /// Counts a pod on the node that it is bound to.
    pub(super) fn bound(&mut self, uid: &str, node: &str, pod: &Value) {
        let known = self.cache.pod_on(node, uid);
        if known.is_some_and(|known| known.is_current(pod)) {
            return;
        }
        let after = Arc::new(PodInfo::of(pod));
        let before = self.cache.put(uid, node, after.clone());
        let assignment = Assignment { node: node.to_owned(), address: self.address(node).to_owned() };
        self.report(uid, Ok(assignment)); // if it waits, another scheduler has bound it
        self.retry_after_change(before, node, after);
    }

    /// Tries the pods that a pod lets fit which is on another node than before, takes less from its node, or has other
    /// labels.
    fn retry_after_change(&mut self, before: Option<Placed>, node: &str, after: Arc<PodInfo>) {
        let Some(before) = before else { return self.retry_dependents(vec![after]) };
        let stays = before.node == node;
        if !(stays && before.pod.takes_the_same(&after)) {
            self.retry_on(&before.node, vec![before.pod, after]);
        } else if !before.pod.looks_the_same(&after) {
            self.retry_dependents(vec![before.pod, after]);
        }
    }

    /// Tries to schedule a pod again whose spec or labels have changed while it waits.
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
        if let Some(Placed { node, pod }) = self.cache.take(uid) {
            self.retry_on(&node, vec![pod]);
        }
    }

    /// Forgets the pods that are not among those that exist.
    pub(super) fn retain(&mut self, existing: &BTreeSet<String>) {
        let gone: Vec<String> = self.cache.uids().filter(|uid| !existing.contains(*uid)).cloned().collect();
        gone.iter().for_each(|uid| self.forget(uid));
    }

    /// Tries to schedule all pods that wait, after a change of nodes or namespaces.
    pub(super) fn retry_all(&mut self) {
        let placed = self.retry(|_, _| true);
        self.retry_dependents(placed);
    }

    /// Tries to schedule the pods that fit on a node where something was freed, and those for which a rule about these
    /// pods decides where they fit.
    fn retry_on(&mut self, node: &str, pods: Vec<Arc<PodInfo>>) {
        let placed = self.retry(|state, pending| state.depends(pending, &pods) || state.fits(node, pending));
        self.retry_dependents(placed);
    }

    /// Tries to schedule the pods for which a rule about these pods decides where they fit, until nothing changes.
    fn retry_dependents(&mut self, mut pods: Vec<Arc<PodInfo>>) {
        while !pods.is_empty() {
            pods = self.retry(|state, pending| state.depends(pending, &pods));
        }
    }

    fn depends(&self, pending: &Pending, pods: &[Arc<PodInfo>]) -> bool {
        pods.iter().any(|pod| pending.info.depends_on(pod, &self.cache.namespaces))
    }

    fn fits(&self, name: &str, pending: &Pending) -> bool {
        let cycle = Cycle::begin(pending, &self.cache);
        self.cache.node(name).is_some_and(|(node, info)| cycle.filter(node, info).is_none())
    }

    /// Tries to schedule the pods that may fit, in the order of the queue. A group is left once one of its pods does not
    /// fit, because the others would not fit either. Returns the pods that were scheduled.
    fn retry(&mut self, may_fit: impl Fn(&Self, &Pending) -> bool) -> Vec<Arc<PodInfo>> {
        let mut placed = Vec::new();
        let mut groups = self.queue.groups();
        while let Some((_, group)) = groups.pop_first() {
            let Some((_, pending)) = self.queue.first_of(&group) else { continue };
            let pending = pending.clone();
            if !may_fit(self, &pending) {
                continue;
            }
            let outcome = self.schedule_one(&pending);
            if outcome.is_err() {
                self.report_to_group(&group, &outcome);
                continue;
            }
            self.report(&pending.uid, outcome);
            placed.push(pending.info);
            if let Some((rank, _)) = self.queue.first_of(&group) {
                groups.insert(rank, group);
            }
        }
        placed
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
}

#[cfg(test)]
mod tests;
