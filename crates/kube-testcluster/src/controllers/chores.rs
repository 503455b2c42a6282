//! The work queue of the garbage collector and the namespace controller, filled from each write, so that nobody has to
//! scan the store.

mod run;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;
use tokio::sync::watch;

use crate::kinds::metadata::{FOREGROUND, ORPHAN};
use crate::kinds::{NAMESPACES, NODES, PODS, RESOURCES, Resource};
use crate::store::event::Event;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::writes::WriteHook;
pub(super) use run::is_over;
pub(crate) use run::run;

/// A reference to an object: the plural of its kind, and its key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectRef {
    plural: &'static str,
    pub(crate) key: Key,
}

impl ObjectRef {
    pub(crate) fn of(object: &Object) -> Self {
        Self { plural: object.resource.plural, key: object.key.clone() }
    }

    pub(crate) fn resource(&self) -> &'static Resource {
        RESOURCES
            .iter()
            .find(|row| row.plural == self.plural)
            .expect("the reference to an object has the plural of its row")
    }

    pub(crate) fn find(&self, storage: &Storage) -> Option<Arc<Object>> {
        storage.get(self.resource(), &self.key)
    }
}

/// A unit of work for a controller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Chore {
    /// Check whether an object still has owners: one of them changed or is gone.
    CheckOwners(ObjectRef),
    /// Handle the dependents of an object that is being deleted and held by a finalizer of the garbage collector.
    HandleDependents(ObjectRef),
    /// Delete the contents of a namespace that is being deleted.
    EmptyNamespace(String),
    /// Give a node the taints of its conditions.
    TaintNode(String),
    /// See after a while whether a node is still missing.
    Quarantine(String),
    /// Delete the pods of a node that was missing for a while.
    CollectOrphans(String),
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) uid: String,
    /// Where the owner must be; `None` if no such kind is served, or if the kind is namespaced and the dependent is
    /// not.
    pub(crate) object_ref: Option<ObjectRef>,
    /// `blockOwnerDeletion`: whether a foreground deletion of the owner waits for this dependent.
    pub(crate) is_blocked: bool,
}

/// The owners of an object. An owner reference has no namespace: the owner is looked for in the dependent's own.
pub(crate) fn owners(object: &Arc<Object>) -> Vec<Owner> {
    if !object.summary.has_owners {
        return Vec::new();
    }
    let Ok(opened) = object.open() else { return Vec::new() };
    let list = opened.value["metadata"]["ownerReferences"].as_array();
    list.into_iter().flatten().map(|reference| owner(reference, object)).collect()
}

fn owner(reference: &Value, dependent: &Object) -> Owner {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let row = RESOURCES.iter().find(|row| row.kind == text("kind") && row.api_version() == text("apiVersion"));
    let object_ref = row.and_then(|row| {
        let namespace = dependent.key.namespace().filter(|_| row.is_namespaced());
        let reachable = namespace.is_some() || !row.is_namespaced();
        reachable.then(|| ObjectRef { plural: row.plural, key: Key::new(namespace, text("name")) })
    });
    Owner { uid: text("uid").to_owned(), object_ref, is_blocked: reference["blockOwnerDeletion"] == true }
}

/// The node that a pod is bound to.
fn node_of(pod: &Object) -> Option<&str> {
    let field = PODS.fields.iter().position(|(field, ..)| *field == "spec.nodeName")?;
    pod.summary.field(field)
}

/// Whether the object is being deleted.
pub(crate) fn is_deleting(object: &Object) -> bool {
    object.summary.is_deleting
}

/// Whether the object is being deleted and this finalizer holds it.
pub(crate) fn is_held(object: &Object, finalizer: &str) -> bool {
    is_deleting(object) && object.summary.has_finalizer(finalizer)
}

/// The chores of one cluster. Each write adds those that it causes.
///
/// The lock order is: first the store's lock, then this one.
#[derive(Debug, Default)]
pub(crate) struct Chores {
    /// Whether every pod must have a node: not in a cluster that was made without nodes.
    has_nodes: bool,
    queue: Mutex<Queue>,
    /// How many chores are queued or being worked on.
    unfinished: watch::Sender<usize>,
}

impl WriteHook for Chores {
    fn after_write(&self, event: &Event, storage: &Storage) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.note(event, storage);
        if self.has_nodes {
            queue.note_orphans(event, storage);
        }
        self.count(queue.due.len() - before);
    }
}

impl Chores {
    pub(crate) fn new(has_nodes: bool) -> Self {
        Self { has_nodes, ..Self::default() }
    }

    /// Adds a chore.
    pub(super) fn add(&self, chore: Chore) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.push(chore);
        self.count(queue.due.len() - before);
    }

    fn count(&self, more: usize) {
        self.unfinished.send_if_modified(|count| {
            *count += more;
            more > 0
        });
    }

    /// Waits for the next chore. It counts as unfinished until [`done`](Self::done).
    pub(super) async fn next(&self) -> Chore {
        let mut count = self.unfinished.subscribe();
        loop {
            if let Some(chore) = self.lock().take() {
                return chore;
            }
            if count.changed().await.is_err() {
                std::future::pending::<()>().await; // the sender lives as long as the chores
            }
        }
    }

    pub(super) fn done(&self) {
        self.unfinished.send_modify(|count| *count -= 1);
    }

    /// Whether a chore is queued or being worked on.
    pub(crate) fn has_any(&self) -> bool {
        *self.unfinished.borrow() > 0
    }

    /// Waits until no chore is queued or being worked on.
    pub(crate) async fn all_done(&self) {
        // The sender lives as long as the chores.
        let _ = self.unfinished.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Discards all chores.
    pub(crate) fn discard(&self) {
        self.lock().forget();
        self.unfinished.send_replace(0);
    }

    /// The objects with an owner reference to this uid.
    pub(super) fn dependents_of(&self, uid: &str) -> Vec<ObjectRef> {
        self.lock().dependents_of(uid)
    }

    /// Whether a namespace has no objects.
    pub(super) fn is_empty(&self, namespace: &str) -> bool {
        self.lock().is_empty(namespace)
    }

    /// Whether the foreground deletion of an owner with this uid has dependents to wait for.
    pub(super) fn is_blocked(&self, uid: &str) -> bool {
        self.lock().is_blocked(uid)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics under this lock")
    }
}

/// The graph of owners and dependents, and the queue of chores.
#[derive(Debug, Default)]
struct Queue {
    /// By the uid of the owner, whether the owner exists or not. None is empty.
    dependents: BTreeMap<String, Dependents>,
    /// How many objects each namespace has; none is 0.
    contents: BTreeMap<String, usize>,
    due: VecDeque<Chore>,
    /// What is in `due`. Each chore is queued once, however many writes cause it meanwhile.
    queued: BTreeSet<Chore>,
}

/// The dependents of one owner.
#[derive(Debug, Default)]
struct Dependents {
    /// Whether the owner's foreground deletion waits for the dependent.
    all: BTreeMap<ObjectRef, bool>,
    /// How many it waits for.
    blocking: usize,
}

impl Dependents {
    fn insert(&mut self, dependent: ObjectRef, blocks: bool) {
        let before = self.all.insert(dependent, blocks).unwrap_or_default();
        self.blocking = self.blocking + usize::from(blocks) - usize::from(before);
    }

    fn remove(&mut self, dependent: &ObjectRef) {
        let before = self.all.remove(dependent).unwrap_or_default();
        self.blocking -= usize::from(before);
    }
}

impl Queue {
    /// Updates the graph after a write, and adds the chores that it causes.
    fn note(&mut self, event: &Event, storage: &Storage) {
        let object = event.object();
        let object_ref = ObjectRef::of(object);
        let list = |object: &Option<Arc<Object>>| object.as_ref().map(owners).unwrap_or_default();
        let (old, new) = (list(&event.previous), list(&event.current));
        let kept: BTreeSet<&Owner> = new.iter().collect();
        for owner in old.iter().filter(|owner| !kept.contains(owner)) {
            self.remove_dependent(&owner.uid, &object_ref);
            let found = owner.object_ref.as_ref().and_then(|object_ref| object_ref.find(storage));
            // The owner waits for the last of them only.
            if let Some(found) = found.filter(|found| is_held(found, FOREGROUND) && !self.is_blocked(&owner.uid)) {
                self.push(Chore::HandleDependents(ObjectRef::of(&found)));
            }
        }
        for owner in &new {
            self.dependents.entry(owner.uid.clone()).or_default().insert(object_ref.clone(), owner.is_blocked);
        }
        match &event.current {
            Some(_) if old != new && !new.is_empty() => self.push(Chore::CheckOwners(object_ref.clone())),
            Some(_) => {}
            None => {
                self.dependents_of(&object.summary.uid)
                    .into_iter()
                    .for_each(|dependent| self.push(Chore::CheckOwners(dependent)));
            }
        }
        if let Some(current) = event.current.as_deref().filter(|object| is_deleting(object)) {
            if current.resource == NAMESPACES {
                self.push(Chore::EmptyNamespace(current.key.name().to_owned()));
            }
            let becomes_held = |finalizer: &str| {
                is_held(current, finalizer) && !event.previous.as_ref().is_some_and(|old| is_held(old, finalizer))
            };
            if becomes_held(ORPHAN) || becomes_held(FOREGROUND) {
                self.push(Chore::HandleDependents(object_ref));
            }
        }
        if let Some(namespace) = object.key.namespace() {
            self.count(namespace, event);
            // A namespace that is being deleted waits for the last of its objects only.
            let home = || storage.get(NAMESPACES, &Key::new(None, namespace));
            if self.is_empty(namespace) && home().is_some_and(|home| is_deleting(&home)) {
                self.push(Chore::EmptyNamespace(namespace.to_owned()));
            }
        }
        if let Some(node) = event.current.as_ref().filter(|object| object.resource == NODES) {
            self.push(Chore::TaintNode(node.key.name().to_owned()));
        }
    }

    /// Adds a chore for a node that was removed, and for one that a pod was bound to and that does not exist.
    fn note_orphans(&mut self, event: &Event, storage: &Storage) {
        let node = match &event.current {
            None if event.object().resource == NODES => Some(event.object().key.name()),
            Some(pod) if pod.resource == PODS => {
                let before = event.previous.as_deref().and_then(node_of);
                node_of(pod).filter(|node| before != Some(*node) && !node.is_empty())
            }
            _ => None,
        };
        if let Some(node) = node.filter(|node| storage.get(NODES, &Key::new(None, node)).is_none()) {
            self.push(Chore::Quarantine(node.to_owned()));
        }
    }

    fn push(&mut self, chore: Chore) {
        if self.queued.insert(chore.clone()) {
            self.due.push_back(chore);
        }
    }

    fn count(&mut self, namespace: &str, event: &Event) {
        match (&event.previous, &event.current) {
            (None, Some(_)) => *self.contents.entry(namespace.to_owned()).or_default() += 1,
            (Some(_), None) => {
                if let Some(count) = self.contents.get_mut(namespace) {
                    *count -= 1;
                }
                if self.is_empty(namespace) {
                    self.contents.remove(namespace);
                }
            }
            _ => {}
        }
    }

    fn is_empty(&self, namespace: &str) -> bool {
        self.contents.get(namespace).is_none_or(|count| *count == 0)
    }

    fn remove_dependent(&mut self, uid: &str, dependent: &ObjectRef) {
        if let Some(dependents) = self.dependents.get_mut(uid) {
            dependents.remove(dependent);
            if dependents.all.is_empty() {
                self.dependents.remove(uid);
            }
        }
    }

    fn dependents_of(&self, uid: &str) -> Vec<ObjectRef> {
        self.dependents.get(uid).map(|dependents| dependents.all.keys().cloned().collect()).unwrap_or_default()
    }

    fn is_blocked(&self, uid: &str) -> bool {
        self.dependents.get(uid).is_some_and(|dependents| dependents.blocking > 0)
    }

    fn take(&mut self) -> Option<Chore> {
        let chore = self.due.pop_front()?;
        self.queued.remove(&chore);
        Some(chore)
    }

    /// Discards all chores.
    fn forget(&mut self) {
        self.due.clear();
        self.queued.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chore_waits_once_and_again_after_it_was_taken() {
        let mut chores = Queue::default();
        let empty = |name: &str| Chore::EmptyNamespace(name.to_owned());
        for name in ["shop", "other", "shop", "other", "shop"] {
            chores.push(empty(name));
        }
        assert_eq!(chores.take(), Some(empty("shop")));
        chores.push(empty("shop"));
        assert_eq!([chores.take(), chores.take(), chores.take()], [Some(empty("other")), Some(empty("shop")), None]);
        chores.push(empty("shop"));
        chores.forget();
        chores.push(empty("shop"));
        assert_eq!(chores.take(), Some(empty("shop")));
    }
}
