//! The queue of work items, and the decision which work items a write causes.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::namespace_contents::NamespaceContents;
use super::ownership_graph::OwnershipGraph;
use super::{ObjectRef, Owner, WorkItem, is_deleting, is_held, owners};
use crate::controllers::cluster_role_aggregation::is_aggregated;
use crate::controllers::pod_gc::{MOST_TERMINATED, field, has_ended, is_unscheduled_and_going};
use crate::controllers::root_ca::ROOT_CA;
use crate::controllers::service_account_tokens::{account_of, has_token};
use crate::store::event::Event;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use kube_controllers::nodes::node_lease;
use kube_machinery::kinds::metadata::{FOREGROUND, ORPHAN};
use kube_machinery::kinds::{
    CLUSTER_ROLES, CONFIG_MAPS, Catalog, LEASES, NAMESPACES, NODES, PODS, Resource, SERVICE_ACCOUNTS,
};

/// The queued work items, and the state of the cluster that decides about new ones.
#[derive(Debug, Default)]
pub(super) struct Queue {
    pub(super) graph: OwnershipGraph,
    pub(super) contents: NamespaceContents,
    /// The names of the aggregated cluster roles.
    aggregated: BTreeSet<String>,
    /// The number of pods that have ended.
    terminated: usize,
    pub(super) due: VecDeque<WorkItem>,
    /// The work items in `due`. A work item is queued once, even if several writes cause it meanwhile.
    queued: BTreeSet<WorkItem>,
}

impl Queue {
    /// Updates the graph and the counts after a write, and queues work items of the garbage collector, of the namespace
    /// controller, and of the node lifecycle controller.
    pub(super) fn note(&mut self, event: &Event, storage: &Storage, catalog: &Catalog) {
        let object = event.object();
        let object_ref = ObjectRef::of(object);
        let list =
            |object: &Option<Arc<Object>>| object.as_ref().map(|object| owners(object, catalog)).unwrap_or_default();
        let (old, new) = (list(&event.previous), list(&event.current));
        let kept: BTreeSet<&Owner> = new.iter().collect();
        // The owners that the object no longer refers to: they may have waited for it.
        for owner in old.iter().filter(|owner| !kept.contains(owner)) {
            self.graph.remove(&owner.uid, &object_ref);
            let found = owner.object_ref.as_ref().and_then(|object_ref| object_ref.find(storage));
            // Only the last blocking dependent continues the owner's deletion.
            if let Some(found) = found.filter(|found| is_held(found, FOREGROUND) && !self.graph.is_blocked(&owner.uid))
            {
                self.push(WorkItem::HandleDependents(ObjectRef::of(&found)));
            }
        }
        for owner in &new {
            self.graph.insert(&owner.uid, object_ref.clone(), owner.blocks_deletion);
        }
        match &event.current {
            // One of the new owners may not exist.
            Some(_) if old != new && !new.is_empty() => self.push(WorkItem::CheckOwners(object_ref.clone())),
            Some(_) => {}
            None => {
                // The dependents have lost an owner.
                self.graph
                    .dependents_of(object.summary.uid())
                    .into_iter()
                    .for_each(|dependent| self.push(WorkItem::CheckOwners(dependent)));
            }
        }
        if let Some(current) = event.current.as_deref().filter(|object| is_deleting(object)) {
            if current.resource == NAMESPACES {
                let name = current.key.name().to_owned();
                // The first write of the deletion starts the work at once; later writes share one delayed work item.
                let was_deleting = event.previous.as_deref().is_some_and(is_deleting);
                self.push(if was_deleting {
                    WorkItem::EmptyNamespaceLater(name)
                } else {
                    WorkItem::EmptyNamespace(name)
                });
            }
            let becomes_held = |finalizer: &str| {
                is_held(current, finalizer) && !event.previous.as_ref().is_some_and(|old| is_held(old, finalizer))
            };
            if becomes_held(ORPHAN) || becomes_held(FOREGROUND) {
                self.push(WorkItem::HandleDependents(object_ref));
            }
        }
        if let Some(namespace) = object.key.namespace() {
            self.contents.count(namespace, event);
            // A namespace that is being deleted waits for its last pod, and then for its last object.
            let stored_namespace = || storage.get(NAMESPACES, &Key::new(None, namespace));
            if may_unblock_namespace(event) && stored_namespace().is_some_and(|stored| is_deleting(&stored)) {
                let name = namespace.to_owned();
                let was_last_pod = object.resource == PODS && !self.contents.has_pods(namespace);
                let goes_on = was_last_pod || self.contents.is_empty(namespace, catalog);
                self.push(if goes_on { WorkItem::EmptyNamespace(name) } else { WorkItem::EmptyNamespaceLater(name) });
            }
        }
        let is_lease_of_node = object.resource == LEASES && object.key.namespace() == Some(node_lease::NAMESPACE);
        if object.resource == NODES || is_lease_of_node {
            self.push(WorkItem::SyncNode(object.key.name().to_owned()));
        }
    }

    /// Queues work items after the definition of a kind was added or removed. Namespaces that are being deleted are
    /// checked again, because they do not wait for objects of an undefined kind. So are the kind's objects with owners,
    /// because the garbage collector ignores an undefined kind.
    pub(super) fn note_definition(&mut self, kind: &Resource, storage: &Storage) {
        for namespace in storage.of_kind(NAMESPACES).filter(|namespace| is_deleting(namespace)) {
            self.push(WorkItem::EmptyNamespace(namespace.key.name().to_owned()));
        }
        for object in storage.of_kind(kind).filter(|object| object.summary.has_owners) {
            self.push(WorkItem::CheckOwners(ObjectRef::of(object)));
        }
    }

    /// Queues work items about nodes and their pods: [`WorkItem::CollectOrphansLater`] for a missing node, after its
    /// removal or the binding of a pod to it; [`WorkItem::CollectTerminating`] after a change of a node, or when the
    /// deletion of a bound pod begins.
    pub(super) fn note_nodes(&mut self, event: &Event, storage: &Storage) {
        let node = match &event.current {
            None if event.object().resource == NODES => Some(event.object().key.name()),
            Some(pod) if pod.resource == PODS => {
                let before = event.previous.as_deref().and_then(node_of);
                node_of(pod).filter(|node| before != Some(*node))
            }
            _ => None,
        };
        if let Some(node) = node.filter(|node| storage.get(NODES, &Key::new(None, node)).is_none()) {
            self.push(WorkItem::CollectOrphansLater(node.to_owned()));
        }
        let waits_for = match &event.current {
            Some(node) if node.resource == NODES => Some(node.key.name()),
            Some(pod) if pod.resource == PODS && deletion_begins(event) => node_of(pod),
            _ => None,
        };
        if let Some(node) = waits_for {
            self.push(WorkItem::CollectTerminating(node.to_owned()));
        }
    }

    /// Counts the pods that have ended, and queues work items if there are too many, and for a pod whose deletion
    /// begins before it has a node.
    pub(super) fn note_pods(&mut self, event: &Event) {
        if event.object().resource != PODS {
            return;
        }
        let ended = |pod: &Option<Arc<Object>>| usize::from(pod.as_deref().is_some_and(has_ended));
        let before = self.terminated;
        self.terminated = before + ended(&event.current) - ended(&event.previous);
        // Only when one more pod has ended, so that each surplus pod queues the work once.
        if self.terminated > before.max(MOST_TERMINATED) {
            self.push(WorkItem::CollectTerminatedLater);
        }
        if let Some(pod) =
            event.current.as_deref().filter(|pod| is_unscheduled_and_going(pod) && deletion_begins(event))
        {
            self.push(WorkItem::CollectUnscheduled(pod.key.clone()));
        }
    }

    /// Queues work items for a new namespace, for one that lost a service account, for one whose config map was
    /// changed or removed, and for the Secrets with the tokens of service accounts.
    pub(super) fn note_accounts(&mut self, event: &Event) {
        let object = event.object();
        let (is_new, is_gone) = (event.previous.is_none(), event.current.is_none());
        let (name, namespace) = (object.key.name(), object.key.namespace().unwrap_or_default());
        if is_new && object.resource == NAMESPACES {
            self.push(WorkItem::CreateAccount(name.to_owned()));
            self.push(WorkItem::PublishRootCa(name.to_owned()));
        } else if is_gone && object.resource == SERVICE_ACCOUNTS {
            self.push(WorkItem::CreateAccount(namespace.to_owned()));
            self.push(WorkItem::DeleteTokens(object.key.clone(), object.summary.uid().to_owned()));
        } else if has_token(object) && is_gone {
            if let Some((account, uid)) = account_of(object) {
                let account = Key::new(Some(namespace), &account);
                self.push(WorkItem::ForgetToken { account, uid, secret: name.to_owned() });
            }
        } else if has_token(object) {
            self.push(WorkItem::FillToken(object.key.clone()));
        } else if object.resource == CONFIG_MAPS && name == ROOT_CA && !is_new {
            self.push(WorkItem::PublishRootCa(namespace.to_owned()));
        }
    }

    /// Queues a work item for each aggregated cluster role, because any cluster role may be part of it. Upstream:
    /// `enqueue`.
    pub(super) fn note_roles(&mut self, event: &Event) {
        let object = event.object();
        if object.resource != CLUSTER_ROLES {
            return;
        }
        let opened = event.current.as_ref().and_then(|role| role.open().ok());
        if opened.is_some_and(|role| is_aggregated(&role.value)) {
            self.aggregated.insert(object.key.name().to_owned());
        } else {
            self.aggregated.remove(object.key.name());
        }
        let items: Vec<WorkItem> = self.aggregated.iter().cloned().map(WorkItem::AggregateRole).collect();
        items.into_iter().for_each(|item| self.push(item));
    }

    pub(super) fn push(&mut self, item: WorkItem) {
        if self.queued.insert(item.clone()) {
            self.due.push_back(item);
        }
    }

    pub(super) fn take(&mut self) -> Option<WorkItem> {
        let item = self.due.pop_front()?;
        self.queued.remove(&item);
        Some(item)
    }

    /// Discards all work items.
    pub(super) fn clear(&mut self) {
        self.due.clear();
        self.queued.clear();
    }
}

fn node_of(pod: &Object) -> Option<&str> {
    field(pod, "spec.nodeName").filter(|node| !node.is_empty())
}

fn deletion_begins(event: &Event) -> bool {
    let goes = |object: &Option<Arc<Object>>| object.as_deref().is_some_and(is_deleting);
    goes(&event.current) && !goes(&event.previous)
}

/// Returns true if an object is gone or its finalizers have changed, so its namespace may wait for less than before.
fn may_unblock_namespace(event: &Event) -> bool {
    match (&event.previous, &event.current) {
        (_, None) => true,
        (Some(old), Some(new)) => !old.summary.finalizers().eq(new.summary.finalizers()),
        (None, Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_item_is_queued_once_and_again_after_it_was_taken() {
        let mut queue = Queue::default();
        let empty = |name: &str| WorkItem::EmptyNamespace(name.to_owned());
        for name in ["shop", "other", "shop", "other", "shop"] {
            queue.push(empty(name));
        }
        assert_eq!(queue.take(), Some(empty("shop")));
        queue.push(empty("shop"));
        assert_eq!([queue.take(), queue.take(), queue.take()], [Some(empty("other")), Some(empty("shop")), None]);
        queue.push(empty("shop"));
        queue.clear();
        queue.push(empty("shop"));
        assert_eq!(queue.take(), Some(empty("shop")));
    }
}
