//! Makes the nodes, the pods and the waiting pods of the scheduler's tests.

use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::follow::StorageSync;
use super::node_info::Node;
use super::queue::{Outcome, Pending};
use super::state::State;
use super::{Nodeless, Scheduler};
use crate::nodes::requests::Received;
use kube_machinery::value::{Value, json};

pub(super) struct Stored(pub(super) Value);

impl AsRef<Value> for Stored {
    fn as_ref(&self) -> &Value {
        &self.0
    }
}

pub(in crate::nodes) fn received(pod: Value) -> Received {
    Received::new(Arc::new(Stored(pod)))
}

/// Returns a pod in the namespace `default`, whose name is its uid.
pub(in crate::nodes) fn pod(uid: &str, labels: Value, spec: Value) -> Value {
    let metadata = json!({"name": uid, "namespace": "default", "uid": uid, "generation": 1, "labels": labels});
    json!({"metadata": metadata, "spec": spec})
}

pub(super) fn pending(pod: &Value) -> Pending {
    let uid = pod["metadata"]["uid"].as_str().unwrap();
    Pending::new(uid, received(pod.clone()))
}

/// Returns a node of 4 CPUs, 8 Gi and 3 pods.
pub(super) fn node(name: &str, labels: Value, spec: Value) -> Node {
    let status = json!({"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "3"}});
    Node::from_fields(&json!({"name": name, "labels": labels, "spec": spec, "status": status}))
}

/// Returns a state with nodes of these names. The label `zone` of each is the first letter of its name.
pub(super) fn zones(names: &[&str]) -> State {
    let mut state = State::new(Nodeless::Wait);
    for name in names {
        let labels = json!({"zone": name[..1], "kubernetes.io/hostname": name});
        state.set_node(name, Some(node(name, labels, json!({}))));
    }
    state
}

/// Returns a scheduler that knows nodes of these names.
pub(in crate::nodes) fn scheduler(nodes: &[&str]) -> Scheduler {
    let (_, listed) = watch::channel(true);
    let (namespaces, budgets) = (listed.clone(), listed.clone());
    let state = Arc::new(Mutex::new(zones(nodes)));
    let storage = Arc::<StorageSync>::default();
    Scheduler { state, listed, namespaces, budgets, storage, progress: watch::Sender::default() }
}

/// Counts a pod on a node that it is bound to.
pub(super) fn bind(state: &mut State, node: &str, pod: &Value) {
    state.bound(pod["metadata"]["uid"].as_str().unwrap(), node, pod);
}

/// Chooses a node for a pod. Returns the node or the reason.
pub(super) fn place(state: &mut State, pod: &Value) -> Result<String, String> {
    let outcome = state.schedule(&pending(pod));
    outcome.map(|assignment| assignment.node).map_err(|unfit| unfit.message.to_string())
}

/// Lets a pod that fits nowhere wait.
pub(super) fn wait(state: &mut State, pod: &Value) -> watch::Receiver<Outcome> {
    let pending = pending(pod);
    let unfit = state.schedule(&pending).unwrap_err();
    state.wait(pending, unfit)
}
