//! The ReplicaSet controller's event handlers: after a change of a ReplicaSet or of a pod, they put the key of the
//! ReplicaSet into the work queue, and note created and deleted pods in the expectations. They make no requests.

use std::sync::Arc;

use super::pods::owner;
use super::slim_replica_set::SlimReplicaSet;
use super::{Controller, spec};
use crate::shared::slim_pod::SlimPod;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

/// Queues each ReplicaSet that was added, changed or deleted.
pub(super) struct ReplicaSetHandler(pub(super) Arc<Controller>);

impl ReplicaSetHandler {
    fn enqueue(&self, set: &SlimReplicaSet) {
        if (self.0.ours)(set) {
            self.0.queue.add(meta_namespace_key(set));
        }
    }

    /// Forgets a deleted ReplicaSet, so that a new one of the same name starts afresh.
    fn forget(&self, key: &str) {
        self.0.expectations.forget(key);
        self.0.statuses.forget(key);
        self.0.availability.forget(key);
    }
}

impl EventHandler<SlimReplicaSet> for ReplicaSetHandler {
    fn on_add(&mut self, set: Arc<SlimReplicaSet>, _initial: InitialList) {
        self.enqueue(&set);
    }

    fn on_update(&mut self, old: Arc<SlimReplicaSet>, new: Arc<SlimReplicaSet>) {
        if old.metadata.uid != new.metadata.uid {
            self.forget(&meta_namespace_key(&*old)); // deleted and created again while no watch ran
        }
        self.enqueue(&new); // also in a resync, which reconciles every ReplicaSet again
    }

    fn on_delete(&mut self, deletion: Deletion<SlimReplicaSet>) {
        self.forget(&deletion_key(&deletion));
        if let Some(set) = deletion.object() {
            self.enqueue(set);
        }
    }
}

/// Queues the ReplicaSet that controls a pod, and updates the expectations.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl PodHandler {
    /// Returns the key of the ReplicaSet that controls a pod, if it exists and this controller handles it.
    fn owner_key(&self, pod: &SlimPod) -> Option<String> {
        let (namespace, owner) = (pod.namespace(), owner(pod, &self.0.kind)?);
        let set = self.0.sets.namespace(namespace).get(&owner.name).ok()?;
        let same = set.metadata.uid.as_ref() == Some(&owner.uid); // false for an earlier ReplicaSet of the same name
        (same && (self.0.ours)(&set)).then(|| format!("{namespace}/{}", owner.name))
    }

    /// Queues each ReplicaSet that may adopt a pod which has no controller.
    fn enqueue_matching(&self, orphan: &SlimPod) {
        let sets = self.0.sets.namespace(orphan.namespace()).list(&LabelSelector::everything());
        for set in sets.iter().filter(|set| (self.0.ours)(set)) {
            let selector = spec::selector(set);
            if selector.is_ok_and(|selector| selector.matches_values(|key| orphan.labels().get(key))) {
                self.0.queue.add(meta_namespace_key(&**set));
            }
        }
    }

    /// Handles a pod that is being deleted or gone. The pod counts as gone as soon as its deletion begins.
    fn deletion_begins(&self, pod: &SlimPod) {
        if let Some(owner) = self.owner_key(pod) {
            self.0.expectations.deletion_observed(&owner, &meta_namespace_key(pod));
            self.0.queue.add(owner);
        }
    }
}

impl EventHandler<SlimPod> for PodHandler {
    fn on_add(&mut self, pod: Arc<SlimPod>, _initial: InitialList) {
        if pod.is_going() {
            return self.deletion_begins(&pod); // its deletion had begun when the informer started
        }
        if let Some(owner) = self.owner_key(&pod) {
            self.0.expectations.creation_observed(&owner);
            self.0.queue.add(owner);
        } else if pod.controller().is_none() {
            self.enqueue_matching(&pod);
        }
    }

    fn on_update(&mut self, old: Arc<SlimPod>, new: Arc<SlimPod>) {
        if old.resource_version() == new.resource_version() {
            return; // a resync: nothing changed
        }
        if new.is_going() {
            return self.deletion_begins(&new);
        }
        let moved = old.controller().map(|owner| &owner.uid) != new.controller().map(|owner| &owner.uid);
        if moved && let Some(before) = self.owner_key(&old) {
            self.0.queue.add(before);
        }
        if let Some(owner) = self.owner_key(&new) {
            self.0.queue.add(owner);
        } else if new.controller().is_none() && (moved || old.labels() != new.labels()) {
            self.enqueue_matching(&new);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<SlimPod>) {
        // A tombstone has the last known state, whose owner is most likely still right.
        if let Some(pod) = deletion.object() {
            self.deletion_begins(pod);
        }
    }
}
