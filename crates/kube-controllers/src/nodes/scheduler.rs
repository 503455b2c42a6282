//! The scheduler: chooses for each pod a node with room for it. The kubelet asks it when a pod comes to its binding
//! stage. A pod that fits on no node waits until a change of the nodes, of their pods or of the namespaces lets it fit.
//! It may preempt pods of a lower priority. Upstream: `pkg/scheduler`, which has more filters.

mod affinity_term;
mod attempt;
mod budgets;
mod cache;
mod candidate;
#[cfg(test)]
mod comparison;
mod cycle;
mod filters;
mod follow;
mod inter_pod_affinity;
mod namespaces;
mod node_info;
mod nominator;
mod pod_info;
mod pod_topology_spread;
mod predicate;
mod preemption;
mod preemptors;
mod queue;
mod reasons;
mod signature;
mod spread_constraint;
mod state;
#[cfg(test)]
pub(in crate::nodes) mod testing;
mod topology_counts;
mod unfit;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use kube_client::Client;
use tokio::sync::watch;

use self::follow::{FollowBudgets, FollowNamespaces, FollowNodes, follow};
use self::queue::Pending;
use self::state::State;
use super::dynamic::api_resource;
use super::pod;
use super::progress::Progress;
use super::requests::Received;
pub(crate) use attempt::Attempt;
pub(crate) use predicate::NotAdmitted;
pub(crate) use unfit::{Unfit, Victim};

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
    /// Whether the namespaces were listed.
    namespaces: watch::Receiver<bool>,
    /// Whether the budgets were listed.
    budgets: watch::Receiver<bool>,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) node: String,
    pub(crate) address: String,
}

impl Scheduler {
    /// Creates a scheduler, and the task that watches the nodes, the namespaces and the budgets.
    pub(crate) fn new(
        client: Client,
        nodeless: Nodeless,
        progress: watch::Sender<Progress>,
    ) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (nodes_sender, listed) = watch::channel(false);
        let (namespaces_sender, namespaces) = watch::channel(false);
        let (budgets_sender, budgets) = watch::channel(false);
        let state = Arc::new(Mutex::new(State::new(nodeless)));
        let scheduler = Self { state, listed, namespaces, budgets, progress };
        let nodes = follow(FollowNodes(scheduler.clone()), client.clone(), nodes_sender);
        let namespaces = follow(FollowNamespaces(scheduler.clone()), client.clone(), namespaces_sender);
        let budgets = follow(FollowBudgets(scheduler.clone()), client, budgets_sender);
        let task = async move {
            tokio::join!(nodes, namespaces, budgets);
        };
        (scheduler, task)
    }

    /// Waits until the nodes, the namespaces and the budgets were listed. Upstream: `WaitForCacheSync`.
    pub(crate) async fn synced(&mut self) {
        for listed in [&mut self.listed, &mut self.namespaces, &mut self.budgets] {
            if listed.wait_for(|listed| *listed).await.is_err() {
                std::future::pending::<()>().await; // the task that watches the objects has ended
            }
        }
    }

    /// Chooses a node for a pod, and counts the pod there. If the pod fits on no node, it waits in the queue as long as
    /// the returned attempt lives, and may preempt other pods.
    pub(crate) async fn assign(&mut self, pod: &Received, uid: &str) -> Result<Assignment, Attempt> {
        self.synced().await;
        let pending = Pending::new(uid, pod.clone());
        let mut state = self.lock();
        state.nominate_again(&pending);
        let outcome = state.schedule(&pending);
        outcome.map_err(|unfit| Attempt::new(self.clone(), &mut state, pending, unfit))
    }

    /// Returns the outcome for a pod that fits on no node, for a reason that is not that of a node. Upstream: a plugin's
    /// `PreFilter` fails.
    pub(crate) async fn unschedulable_on_any(&mut self, why: &str) -> Unfit {
        self.synced().await;
        Unfit::on_any(self.lock().node_count(), why)
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

    /// Decides whether a pod may run that was bound to a node without this scheduler and has not started.
    pub(crate) fn admit(&self, pod: &Received) {
        if let Some(node) = pod["spec"]["nodeName"].as_str() {
            self.lock().admit(node, pod);
        }
    }

    /// Returns why a pod may not run on its node.
    pub(crate) fn not_admitted(&self, uid: &str) -> Option<NotAdmitted> {
        self.lock().not_admitted(uid).cloned()
    }

    /// Stops counting a pod that was deleted or could not be bound.
    pub(crate) fn forget(&self, uid: &str) {
        self.lock().forget(uid);
    }

    /// Takes note that a pod could not be preempted.
    pub(crate) fn not_preempted(&self, victim: &Victim) {
        self.lock().victim_ends(&victim.uid);
    }

    /// Forgets the pods that are not among those that exist, after a gap in the watch of pods.
    pub(crate) fn retain(&self, existing: &BTreeSet<String>) {
        self.lock().retain(existing);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics under this lock")
    }
}
