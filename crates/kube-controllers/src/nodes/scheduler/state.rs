//! The cluster as the scheduler sees it, and the pods that wait. Every change that lets a waiting pod fit schedules it
//! at once, in the order of the queue. Upstream: the event handlers.

mod admit;
mod reserve;
mod retry;
mod schedule_one;

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::HashMap;
use tokio::sync::watch;

use self::admit::Admissions;
use super::budgets::Budgets;
use super::cache::{Cache, Placed};
use super::node_info::Node;
use super::nominator::Nominator;
use super::pod_info::{PodInfo, StartTime};
use super::preemptors::Preemptors;
use super::queue::{Nomination, Outcome, Pending, Queue, Waiting};
use super::volume_binding::PodVolumes;
use super::{Assignment, Nodeless, Unfit};
use crate::nodes::node;
use crate::nodes::requests::Received;
use kube_machinery::value::{SmolStr, Value, json};

pub(super) struct State {
    nodeless: Nodeless,
    pub(super) cache: Cache,
    pub(super) budgets: Budgets,
    pub(super) queue: Queue,
    pub(super) nominator: Nominator,
    preemptors: Preemptors,
    admissions: Admissions,
    /// The pods that lost their nominated node to a pod of a higher priority, and are to be tried again.
    displaced: Vec<SmolStr>,
    /// The pending writes for the claims of pods that have a node, by the uids of the pods.
    reserved: HashMap<SmolStr, Arc<PodVolumes>>,
    /// The node where the last search ended before it had seen all nodes.
    last: String,
}

impl State {
    pub(super) fn new(nodeless: Nodeless) -> Self {
        Self {
            nodeless,
            cache: Cache::default(),
            budgets: Budgets::default(),
            queue: Queue::default(),
            nominator: Nominator::default(),
            preemptors: Preemptors::default(),
            admissions: Admissions::default(),
            displaced: Vec::new(),
            reserved: HashMap::default(),
            last: String::new(),
        }
    }

    /// Chooses a node for a new pod, counts the pod there, and schedules the waiting pods that fit because of it.
    pub(super) fn schedule(&mut self, pending: &Pending) -> Outcome {
        let outcome = self.schedule_one(pending);
        let placed = outcome.iter().map(|_| pending.info.clone()).collect();
        self.retry_dependents(placed);
        outcome
    }

    /// Takes over the node that was nominated for a new pod earlier, such as before a restart.
    pub(super) fn nominate_again(&mut self, pending: &Pending) {
        if let Some(node) = pending.pod["status"]["nominatedNodeName"].as_str().filter(|node| !node.is_empty()) {
            self.nominator.set(node, pending.info.clone());
        }
    }

    /// Lets a pod that fits nowhere wait. The receiver gets the later outcomes.
    pub(super) fn wait(&mut self, pending: Pending, unfit: Unfit) -> watch::Receiver<Outcome> {
        let is_nominated = self.nominator.node_of(&pending.uid).is_some();
        let nomination = if is_nominated { Nomination::Made } else { Nomination::None };
        let (sender, receiver) = watch::channel(Err(unfit));
        self.queue.push(Waiting { pending, outcome: sender, resting: None, nomination });
        receiver
    }

    /// Returns the node for all pods of a cluster that has no Node object, if pods do not wait for one there.
    fn first_without_nodes(&self) -> Option<Node> {
        self.is_without_nodes().then(|| {
            let name = node::name(1);
            Node::from_fields(&json!({"name": name, "labels": {"kubernetes.io/hostname": name}}))
        })
    }

    fn is_without_nodes(&self) -> bool {
        self.nodeless == Nodeless::OnTheFirst && self.cache.nodes().all(|info| info.node.is_none())
    }

    /// Returns the number of nodes on which pods can run.
    fn node_count(&self) -> usize {
        let count = self.cache.nodes().filter(|info| info.node.is_some()).count();
        if self.is_without_nodes() { 1 } else { count }
    }

    /// Returns true if the node exists. In a cluster that was created without nodes, every node exists.
    pub(super) fn has(&self, node: &str) -> bool {
        self.cache.node(node).is_some() || self.is_without_nodes()
    }

    /// Returns true if the kubelet of a node runs pods: the node exists, and its kubelet is not silent.
    pub(super) fn runs(&self, node: &str) -> bool {
        match self.cache.node(node) {
            Some((node, _)) => !node::has_silent_label(&node.labels),
            None => self.has(node),
        }
    }

    /// Returns the address of a node, or that of the first node if the node is unknown.
    pub(super) fn address(&self, node: &str) -> &str {
        self.cache.node(node).map_or(node::FIRST_ADDRESS, |(node, _)| &node.address)
    }

    /// Returns the labels of a node.
    pub(super) fn labels(&self, node: &str) -> Value {
        let first = || self.first_without_nodes().filter(|first| first.name == node);
        let known = self.cache.node(node).map(|(node, _)| node.labels.clone());
        known.or_else(|| first().map(|first| first.labels)).unwrap_or_default()
    }

    /// Returns the assignment to a node that was chosen already.
    pub(super) fn assignment(&self, node: &str) -> Assignment {
        Assignment { node: node.to_owned(), address: self.address(node).to_owned(), volumes: None }
    }

    /// Adds, changes or removes a Node object. Returns true if the scheduler sees a difference.
    pub(super) fn set_node(&mut self, name: &str, node: Option<Node>) -> bool {
        let is_changed = self.cache.set_node(name, node);
        self.admit_postponed(name);
        is_changed
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

    /// Counts a pod on the node that it is bound to, unless it may not run there.
    pub(super) fn bound(&mut self, uid: &str, node: &str, pod: &Value) {
        if self.admissions.has_rejected(uid) {
            return;
        }
        let known = self.cache.pod_on(node, uid);
        if known.is_some_and(|known| known.is_current(pod)) {
            return;
        }
        let after = Arc::new(PodInfo::of(pod));
        if after.start_time != StartTime::NotYet {
            self.admissions.settle(uid, node);
        }
        self.reserved.remove(uid); // its claims are bound
        let before = self.cache.put(node, after.clone());
        self.report(uid, Ok(self.assignment(node))); // if it waits, another scheduler has bound it
        let ends = after.is_terminating;
        self.retry_after_change(before, node, after);
        if ends {
            self.victim_ends(uid);
        }
    }

    /// Tries again those waiting pods for which it matters that a pod is on another node than before, takes something
    /// else from its node, or has other labels.
    fn retry_after_change(&mut self, before: Option<Placed>, node: &str, after: Arc<PodInfo>) {
        let Some(before) = before else { return self.retry_dependents(vec![after]) };
        let stays = before.node == node;
        if !(stays && before.pod.takes_the_same(&after)) {
            self.retry_on(&before.node, vec![before.pod, after]);
        } else if !before.pod.looks_the_same(&after) {
            self.retry_dependents(vec![before.pod, after]);
        }
    }

    /// Tries again to schedule a waiting pod after its spec or labels have changed.
    pub(super) fn changed(&mut self, uid: &str, pod: &Received) {
        if self.queue.get_mut(uid).is_some_and(|waiting| !waiting.pending.info.is_current(pod)) {
            let pending = Pending::new(uid, pod.clone());
            self.queue.replace(pending.clone());
            if !self.preemptors.postpones(uid) {
                let outcome = self.schedule_one(&pending);
                let placed = outcome.iter().map(|_| pending.info.clone()).collect();
                self.report(uid, outcome); // it leaves the queue first, because it may depend on pods like itself
                self.retry_dependents(placed);
            }
        }
    }

    /// Stops counting a pod that has ended, was deleted or could not be bound. It waits no longer, either.
    pub(super) fn forget(&mut self, uid: &str) {
        self.leave_queue(uid);
        let placed = self.cache.take(uid);
        self.unreserve(uid);
        self.admissions.forget(uid);
        self.victim_ends(uid);
        if let Some(Placed { node, pod }) = placed {
            self.admissions.settle(uid, &node);
            self.retry_on(&node, vec![pod]);
        }
    }

    /// Removes a pod from the queue, and withdraws what was nominated for it.
    fn leave_queue(&mut self, uid: &str) {
        self.queue.remove(uid);
        self.nominator.remove(uid);
        self.preemptors.remove(uid);
    }

    /// Takes note that a pod ends, or could not be preempted. The pods that preempted it may be tried again.
    pub(super) fn victim_ends(&mut self, uid: &str) {
        let due = self.preemptors.victim_ends(uid);
        if !due.is_empty() {
            let placed = self.retry(|_, pending| due.contains(&pending.info.uid));
            self.retry_dependents(placed);
        }
    }

    /// Forgets the pods that are not among those that exist.
    pub(super) fn retain(&mut self, existing: &BTreeSet<String>) {
        let gone: Vec<SmolStr> = self.cache.uids().filter(|uid| !existing.contains(uid.as_str())).cloned().collect();
        gone.iter().for_each(|uid| self.forget(uid));
        self.admissions.retain(existing);
    }
}

#[cfg(test)]
mod tests;
