//! The scheduler: chooses for each pod a node with room for it. The kubelet asks it when a pod comes to its binding
//! stage. A pod that fits on no node waits until a change of the nodes, of their pods, of the namespaces or of storage
//! lets it fit.
//! It may preempt pods of a lower priority. Upstream: `pkg/scheduler`, which has more filters.

mod affinity_term;
mod attempt;
mod budgets;
mod cache;
mod candidate;
#[cfg(test)]
mod comparison;
mod csi_translation;
mod cycle;
mod filters;
mod follow;
mod inter_pod_affinity;
mod namespaces;
mod node_info;
mod node_volume_limits;
mod nominator;
mod pod_info;
mod pod_topology_spread;
mod pod_volume;
mod predicate;
mod preemption;
mod preemptors;
mod queue;
mod reasons;
mod signature;
mod spread_constraint;
mod state;
mod storage;
#[cfg(test)]
pub(in crate::nodes) mod testing;
mod topology_counts;
mod unfit;
mod volume_binding;
mod volume_restrictions;
mod volume_zone;
mod volumes;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use kube_client::Client;
use kube_machinery::value::Value;
use tokio::sync::watch;

use self::follow::{FollowBudgets, FollowNamespaces, FollowNodes, StorageSync, follow, follow_storage};
use self::queue::Pending;
use self::state::State;
use super::claims::Claims;
use super::constraints::node_selector_matches;
use super::dynamic::api_resource;
use super::pod;
use super::progress::Progress;
use super::requests::Received;
pub(crate) use attempt::Attempt;
pub(crate) use predicate::NotAdmitted;
pub(crate) use unfit::{Unfit, Victim};
pub(crate) use volume_binding::{PodVolumes, Provision, StaticBinding};

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
    storage: Arc<StorageSync>,
    progress: watch::Sender<Progress>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) node: String,
    pub(crate) address: String,
    /// The writes for the pod's claims that come before its binding; `None` for most pods.
    pub(crate) volumes: Option<Arc<PodVolumes>>,
}

impl Scheduler {
    /// Creates a scheduler, and the task that watches the nodes, the namespaces and the budgets, and storage once it is
    /// needed.
    pub(crate) fn new(
        client: Client,
        nodeless: Nodeless,
        claims: Claims,
        progress: watch::Sender<Progress>,
    ) -> (Self, impl Future<Output = ()> + Send + use<>) {
        let (nodes_sender, listed) = watch::channel(false);
        let (namespaces_sender, namespaces) = watch::channel(false);
        let (budgets_sender, budgets) = watch::channel(false);
        let storage = Arc::<StorageSync>::default();
        let mut state = State::new(nodeless);
        state.cache.storage.required = claims;
        let state = Arc::new(Mutex::new(state));
        let scheduler = Self { state, listed, namespaces, budgets, storage, progress };
        let nodes = follow(FollowNodes(scheduler.clone()), client.clone(), nodes_sender);
        let namespaces = follow(FollowNamespaces(scheduler.clone()), client.clone(), namespaces_sender);
        let budgets = follow(FollowBudgets(scheduler.clone()), client.clone(), budgets_sender);
        let storage = follow_storage(scheduler.clone(), client);
        let task = async move {
            tokio::join!(nodes, namespaces, budgets, storage);
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
        if !pending.info.volumes.is_empty() {
            self.storage.synced().await;
        }
        let mut state = self.lock();
        state.nominate_again(&pending);
        let outcome = state.schedule(&pending);
        outcome.map_err(|unfit| Attempt::new(self.clone(), &mut state, pending, unfit))
    }

    /// Returns the outcome for a pod that fits on no node, for a reason that is not that of a node. Upstream: a plugin's
    /// `PreFilter` fails.
    pub(crate) async fn unschedulable_on_any(&mut self, pod: &Received, uid: &str, why: &str) -> Unfit {
        self.synced().await;
        self.lock().refuse_on_all(&Pending::new(uid, pod.clone()), why)
    }

    /// Returns the name and the address of the node of a pod that has a node already.
    pub(crate) async fn assignment_of(&mut self, node: &str) -> Assignment {
        self.synced().await;
        self.lock().assignment(node)
    }

    /// Returns true if a node of this name exists, and its kubelet is not silent. In a cluster that was created without
    /// nodes, every node exists.
    pub(crate) async fn runs(&mut self, node: &str) -> bool {
        self.synced().await;
        self.lock().runs(node)
    }

    /// Returns true if a node has the labels that the required node affinity of a volume selects.
    pub(crate) fn node_has(&self, node: &str, affinity: &Value) -> bool {
        affinity.is_null() || node_selector_matches(affinity, None, &self.lock().labels(node))
    }

    /// Waits until a node changes.
    pub(crate) async fn changed(&mut self) {
        if self.listed.changed().await.is_err() {
            std::future::pending::<()>().await; // the task with the watches has ended
        }
    }

    /// Counts a pod that is bound or has ended, and schedules a waiting pod again if its spec has changed.
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

    /// Decides whether a pod may run, if it was bound to a node without this scheduler and has not started.
    pub(crate) fn admit(&self, pod: &Received) {
        if let Some(node) = pod["spec"]["nodeName"].as_str() {
            self.lock().admit(node, pod);
        }
    }

    /// Returns the reason why a pod may not run on its node.
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
