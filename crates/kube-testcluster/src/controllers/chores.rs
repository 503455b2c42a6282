//! The work queue of the garbage collector and the namespace controller, filled from each write, so that nobody has to
//! scan the store.

mod run;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::Value;
use tokio::sync::watch;

use crate::kinds::metadata::{FOREGROUND, ORPHAN};
use crate::kinds::{NAMESPACES, RESOURCES, Resource};
use crate::store::event::Event;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::writes::WriteHook;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Check whether an object still has owners: one of them changed or is gone.
    CheckOwners(ObjectRef),
    /// Handle the dependents of an object that is being deleted and held by a finalizer of the garbage collector.
    HandleDependents(ObjectRef),
    /// Delete the contents of a namespace that is being deleted.
    EmptyNamespace(String),
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
    queue: Mutex<Queue>,
    /// How many chores are queued or being worked on.
    unfinished: watch::Sender<usize>,
}

impl WriteHook for Chores {
    fn after_write(&self, event: &Event, storage: &Storage) {
        let more = self.lock().note(event, storage);
        self.unfinished.send_if_modified(|count| {
            *count += more;
            more > 0
        });
    }
}

impl Chores {
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

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics under this lock")
    }
}

/// The graph of owners and dependents, and the queue of chores.
#[derive(Debug, Default)]
struct Queue {
    /// Dependents by the uid of their owner, whether the owner exists or not.
    dependents: BTreeMap<String, BTreeSet<ObjectRef>>,
    due: VecDeque<Chore>,
    /// The namespaces in `due`. Each is queued once, however many of its objects are deleted meanwhile.
    emptying: BTreeSet<String>,
}

impl Queue {
    /// Updates the graph after a write; returns how many chores were added.
    fn note(&mut self, event: &Event, storage: &Storage) -> usize {
        let before = self.due.len();
        let object = event.object();
        let object_ref = ObjectRef::of(object);
        let list = |object: &Option<Arc<Object>>| object.as_ref().map(owners).unwrap_or_default();
        let (old, new) = (list(&event.previous), list(&event.current));
        let kept: BTreeSet<&Owner> = new.iter().collect();
        for owner in old.iter().filter(|owner| !kept.contains(owner)) {
            if let Some(dependents) = self.dependents.get_mut(&owner.uid) {
                dependents.remove(&object_ref);
                if dependents.is_empty() {
                    self.dependents.remove(&owner.uid);
                }
            }
            let found = owner.object_ref.as_ref().and_then(|object_ref| object_ref.find(storage));
            if let Some(owner) = found.filter(|found| is_held(found, FOREGROUND)) {
                self.push(Chore::HandleDependents(ObjectRef::of(&owner)));
            }
        }
        for owner in &new {
            self.dependents.entry(owner.uid.clone()).or_default().insert(object_ref.clone());
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
            if is_held(current, ORPHAN) || is_held(current, FOREGROUND) {
                self.push(Chore::HandleDependents(object_ref));
            }
        } else if let (None, Some(namespace)) = (&event.current, object.key.namespace()) {
            let home = storage.get(NAMESPACES, &Key::new(None, namespace));
            if home.is_some_and(|home| is_deleting(&home)) {
                self.push(Chore::EmptyNamespace(namespace.to_owned()));
            }
        }
        self.due.len() - before
    }

    fn push(&mut self, chore: Chore) {
        let is_new = match &chore {
            Chore::EmptyNamespace(namespace) => self.emptying.insert(namespace.clone()),
            _ => self.due.back() != Some(&chore),
        };
        if is_new {
            self.due.push_back(chore);
        }
    }

    fn dependents_of(&self, uid: &str) -> Vec<ObjectRef> {
        self.dependents.get(uid).into_iter().flatten().cloned().collect()
    }

    fn take(&mut self) -> Option<Chore> {
        let chore = self.due.pop_front()?;
        if let Chore::EmptyNamespace(namespace) = &chore {
            self.emptying.remove(namespace);
        }
        Some(chore)
    }

    /// Discards all chores.
    fn forget(&mut self) {
        self.due.clear();
        self.emptying.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_waits_once_to_be_emptied_and_again_after_it_was_taken() {
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
