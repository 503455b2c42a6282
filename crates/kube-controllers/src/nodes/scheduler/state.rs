//! The nodes with their pods, and the pods that wait. Every change that gives a waiting pod room schedules it at once,
//! in the order of the queue. Upstream: the scheduler's cache and its scheduling cycle.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

use foldhash::HashMap;

use super::filters::rejection;
use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use super::queue::{Outcome, Pending, Queue};
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
        let waiting = self.queue.get_mut(uid).filter(|waiting| !waiting.pending.info.is_current(pod));
        if let Some(waiting) = waiting {
            waiting.pending = Pending::new(uid, pod.clone());
            let pending = waiting.pending.clone();
            self.retry(&pending);
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
        let all: Vec<Pending> = self.queue.pending().cloned().collect();
        all.iter().for_each(|pending| self.retry(pending));
    }

    /// Tries to schedule the pods that fit on a node where something was freed.
    fn retry_on(&mut self, node: &str) {
        let all: Vec<Pending> = self.queue.pending().filter(|pending| self.fits(node, pending)).cloned().collect();
        for pending in all {
            if self.fits(node, &pending) {
                self.retry(&pending); // those before have left room
            }
        }
    }

    fn fits(&self, name: &str, pending: &Pending) -> bool {
        self.nodes.get(name).is_some_and(|info| {
            let spec = &pending.pod["spec"];
            info.node.as_ref().is_some_and(|node| rejection(node, info, spec, &pending.info).is_none())
        })
    }

    fn retry(&mut self, pending: &Pending) {
        let outcome = self.schedule(pending);
        self.report(&pending.uid, outcome);
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
mod tests {
    use tokio::sync::watch;

    use super::*;
    use crate::nodes::scheduler::Unfit;
    use crate::nodes::scheduler::queue::Waiting;
    use kube_machinery::value::json;

    struct Stored(Value);

    impl AsRef<Value> for Stored {
        fn as_ref(&self) -> &Value {
            &self.0
        }
    }

    fn pending(uid: &str, spec: Value) -> Pending {
        let pod = json!({"metadata": {"uid": uid, "generation": 1}, "spec": spec});
        Pending::new(uid, Received::new(Arc::new(Stored(pod))))
    }

    fn pod_of(cpu: &str) -> Value {
        json!({"containers": [{"resources": {"requests": {"cpu": cpu}}}]})
    }

    fn node(name: &str, labels: Value, spec: Value) -> Node {
        let status = json!({"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "3"}});
        Node::from_fields(&json!({"name": name, "labels": labels, "spec": spec, "status": status}))
    }

    /// Returns a state with nodes of 4 CPUs and 3 pods each.
    fn nodes(count: usize) -> State {
        let mut state = State::new(Nodeless::Wait);
        for n in 1..=count {
            let name = format!("node-{n:04}");
            assert!(state.set_node(&name, Some(node(&name, json!({}), json!({})))));
        }
        state
    }

    fn place(state: &mut State, uid: &str, spec: Value) -> Result<String, String> {
        let outcome = state.schedule(&pending(uid, spec));
        outcome.map(|assignment| assignment.node).map_err(|unfit| unfit.to_string())
    }

    /// Lets a pod wait that fits nowhere.
    fn wait(state: &mut State, uid: &str, spec: Value) -> watch::Receiver<Outcome> {
        let pending = pending(uid, spec);
        let (outcome, receiver) = watch::channel(state.schedule(&pending));
        assert!(receiver.borrow().is_err());
        state.queue.push(Waiting { pending, outcome, resting: None });
        receiver
    }

    #[test]
    fn pods_go_to_the_node_with_the_fewest_pods_while_it_has_room() {
        let mut state = nodes(2);
        let placed: Vec<_> = (0..5).map(|n| place(&mut state, &n.to_string(), pod_of("1500m"))).collect();
        assert_eq!(placed[..4], ["node-0001", "node-0002", "node-0001", "node-0002"].map(|name| Ok(name.to_owned())));
        assert_eq!(
            placed[4].as_ref().unwrap_err(),
            "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims \
             found for incoming pod."
        );
        assert_eq!(place(&mut state, "small", pod_of("1")).unwrap(), "node-0001");
        assert_eq!(place(&mut state, "none", json!({})).unwrap(), "node-0002");
        assert_eq!(
            place(&mut state, "large", pod_of("64")).unwrap_err(),
            "0/2 nodes are available: 2 Insufficient cpu, 2 Too many pods. preemption: 0/2 nodes are available: 2 \
             Preemption is not helpful for scheduling."
        );
        let modest = json!({"preemptionPolicy": "Never"});
        assert_eq!(
            place(&mut state, "modest", modest).unwrap_err(),
            "0/2 nodes are available: 2 Too many pods. preemption: not eligible due to preemptionPolicy=Never."
        );
    }

    #[test]
    fn a_host_port_is_given_once_for_each_address_and_protocol() {
        let mut state = nodes(1);
        let port = |ip: &str, protocol: &str| json!({"containers": [{"ports": [{"hostPort": 80, "hostIP": ip, "protocol": protocol}]}]});
        assert!(place(&mut state, "a", port("10.0.0.1", "TCP")).is_ok());
        assert!(place(&mut state, "b", port("10.0.0.2", "TCP")).is_ok());
        let refused = place(&mut state, "c", port("", "TCP")).unwrap_err();
        assert!(refused.contains("1 node(s) didn't have free ports for the requested pod ports."), "{refused}");
        assert!(place(&mut state, "d", port("", "UDP")).is_ok());
    }

    #[test]
    fn each_node_counts_for_the_first_filter_that_refuses_it() {
        let mut state = State::new(Nodeless::Wait);
        let taint = json!({"key": "k", "value": "v", "effect": "NoSchedule"});
        state.set_node("a", Some(node("a", json!({"disk": "ssd"}), json!({"unschedulable": true}))));
        state.set_node("b", Some(node("b", json!({}), json!({"taints": [taint]}))));
        state.set_node("c", Some(node("c", json!({}), json!({}))));
        let mut pod = pod_of("64");
        assert_eq!(
            place(&mut state, "large", pod.clone()).unwrap_err(),
            "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were \
             unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
        );
        pod["nodeSelector"] = json!({"disk": "ssd"});
        let unfit = place(&mut state, "selective", pod).unwrap_err();
        assert!(unfit.contains("1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had"), "{unfit}");
        let tolerant = json!({"tolerations": [{"key": "k", "operator": "Exists"}], "nodeName": null});
        assert_eq!(place(&mut state, "tolerant", tolerant).unwrap(), "b");
        assert_eq!(state.schedule(&pending("x", json!({}))).unwrap().node, "c");
        assert_eq!(nodes(0).schedule(&pending("x", json!({}))), Err(Unfit::NoNodes));
    }

    #[test]
    fn freed_room_goes_to_the_pod_with_the_highest_priority_and_then_to_the_earliest() {
        let mut state = nodes(1);
        assert!(place(&mut state, "all", pod_of("4")).is_ok());
        let waiting = |state: &mut State, uid: &str, cpu: &str, priority: i64| {
            let mut spec = pod_of(cpu);
            spec["priority"] = json!(priority);
            wait(state, uid, spec)
        };
        let early = waiting(&mut state, "early", "3", 0);
        let late = waiting(&mut state, "late", "3", 0);
        let important = waiting(&mut state, "important", "1", 10);
        state.forget("all");
        assert!(important.borrow().is_ok() && early.borrow().is_ok());
        assert!(late.borrow().is_err(), "3 and 1 CPUs are taken");
        state.forget("early");
        assert!(late.borrow().is_ok());
    }

    #[test]
    fn a_waiting_pod_learns_of_other_nodes_and_of_its_own_changes() {
        let mut state = nodes(1);
        let mut large = wait(&mut state, "large", pod_of("5"));
        let other = wait(&mut state, "other", pod_of("6"));
        large.mark_unchanged();
        state.set_node("node-2", Some(node("node-2", json!({}), json!({"unschedulable": true}))));
        state.retry_all();
        assert!(large.has_changed().unwrap(), "the reason names two nodes now");
        assert!(large.borrow().clone().unwrap_err().to_string().starts_with("0/2 nodes"));
        let smaller = json!({"metadata": {"uid": "large", "generation": 2}, "spec": pod_of("4")});
        state.changed("large", &Received::new(Arc::new(Stored(smaller))));
        assert!(large.borrow().is_ok() && other.borrow().is_err());
        let bound = json!({"metadata": {"uid": "other", "generation": 1}, "spec": pod_of("6")});
        state.bound("other", "node-2", &bound);
        assert_eq!(other.borrow().as_ref().unwrap().node, "node-2", "another scheduler may bind it anywhere");
    }

    #[test]
    fn a_pod_that_is_gone_or_elsewhere_leaves_its_room_to_those_that_wait() {
        let mut state = nodes(1);
        assert!(place(&mut state, "all", pod_of("4")).is_ok());
        let gone = wait(&mut state, "gone", pod_of("4"));
        let stays = wait(&mut state, "stays", pod_of("4"));
        state.forget("gone");
        let elsewhere = json!({"metadata": {"uid": "all", "generation": 1}, "spec": pod_of("4")});
        state.bound("all", "node-2", &elsewhere);
        assert!(gone.borrow().is_err() && stays.borrow().is_ok());
        let next = wait(&mut state, "next", pod_of("4"));
        state.retain(&BTreeSet::from(["next".to_owned()]));
        assert!(next.borrow().is_ok());
    }

    #[test]
    fn a_search_in_a_large_cluster_ends_early_and_goes_on_behind() {
        let mut state = nodes(1_000);
        let placed: std::collections::BTreeSet<_> =
            (0..1_000).map(|n| place(&mut state, &n.to_string(), json!({})).unwrap()).collect();
        assert_eq!(placed.len(), 1_000, "all nodes get one pod");
        let last = json!({"nodeSelector": {"disk": "ssd"}});
        state.set_node("node-0777", Some(node("node-0777", json!({"disk": "ssd"}), json!({}))));
        assert_eq!(place(&mut state, "selective", last).unwrap(), "node-0777", "a pod that fits on few looks at all");
    }
}
