//! The chores of the controllers that each write may cause, so that nobody has to scan the store: of the garbage collector,
//! the namespace controller, and those of nodes.

mod queue;
mod run;

use std::cmp::Ordering;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::sync::watch;

use crate::settings::Admission;
use crate::store::event::Event;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::writes::WriteHook;
use kube_machinery::kinds::{Catalog, Resource};
use kube_machinery::value::Value;
use queue::Queue;
pub(super) use run::is_over;
pub(crate) use run::run;

/// A reference to an object: its kind in any version, and its key.
#[derive(Clone, Debug)]
pub(crate) struct ObjectRef {
    pub(crate) resource: &'static Resource,
    pub(crate) key: Key,
}

impl PartialEq for ObjectRef {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ObjectRef {}

impl PartialOrd for ObjectRef {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ObjectRef {
    fn cmp(&self, other: &Self) -> Ordering {
        let kinds = self.resource.group_resource().cmp(&other.resource.group_resource());
        kinds.then_with(|| self.key.cmp(&other.key))
    }
}

impl ObjectRef {
    pub(crate) fn of(object: &Object) -> Self {
        Self { resource: object.resource, key: object.key.clone() }
    }

    pub(crate) fn find(&self, storage: &Storage) -> Option<Arc<Object>> {
        storage.get(self.resource, &self.key)
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
    /// Do so again after a while: what its conditions say may have changed.
    LookAgain(String),
    /// Create the service account that a namespace must have.
    CreateAccount(String),
    /// Create the config map that a namespace must have.
    PublishRootCa(String),
    /// Give an aggregated cluster role its rules.
    AggregateRole(String),
    /// Give a node the taints of its conditions.
    TaintNode(String),
    /// See after a while whether a node is still missing.
    Quarantine(String),
    /// Delete the pods of a node that was missing for a while.
    CollectOrphans(String),
    /// Delete the pods that wait for a node which is out of service.
    CollectTerminating(String),
    /// End a pod that goes before it has a node.
    CollectUnscheduled(Key),
    /// See after a while whether too many pods have ended.
    CountTerminated,
    /// Delete the oldest of too many pods that have ended.
    CollectTerminated,
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) uid: String,
    /// Where the owner must be; `None` if no such kind is served, or if the kind is namespaced and the dependent is
    /// not.
    pub(crate) object_ref: Option<ObjectRef>,
    /// `blockOwnerDeletion`: whether a foreground deletion of the owner waits for this dependent.
    pub(crate) blocks_deletion: bool,
}

/// The owners of an object. An owner reference has no namespace: the owner is looked for in the dependent's own.
pub(crate) fn owners(object: &Arc<Object>, catalog: &Catalog) -> Vec<Owner> {
    if !object.summary.has_owners {
        return Vec::new();
    }
    let Ok(opened) = object.open() else { return Vec::new() };
    let list = opened.value["metadata"]["ownerReferences"].as_array();
    list.into_iter().flatten().map(|reference| owner(reference, object, catalog)).collect()
}

fn owner(reference: &Value, dependent: &Object, catalog: &Catalog) -> Owner {
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let row = catalog.served().find(|row| row.kind == text("kind") && row.api_version() == text("apiVersion"));
    let row = row.map(Resource::stored);
    let object_ref = row.and_then(|row| {
        let namespace = dependent.key.namespace().filter(|_| row.is_namespaced());
        let reachable = namespace.is_some() || !row.is_namespaced();
        reachable.then(|| ObjectRef { resource: row, key: Key::new(namespace, text("name")) })
    });
    Owner { uid: text("uid").to_owned(), object_ref, blocks_deletion: reference["blockOwnerDeletion"] == true }
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
    /// Whether every namespace must have a service account.
    has_accounts: bool,
    queue: Mutex<Queue>,
    /// How many chores are queued or being worked on.
    unfinished: watch::Sender<usize>,
}

impl WriteHook for Chores {
    fn after_write(&self, event: &Event, storage: &Storage, catalog: &Catalog) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.note(event, storage, catalog);
        if self.has_nodes {
            queue.note_orphans(event, storage);
        }
        queue.note_ends(event);
        queue.note_roles(event);
        if self.has_accounts {
            queue.note_accounts(event);
        }
        self.count(queue.due.len() - before);
    }

    fn after_definition(&self, row: &'static Resource, storage: &Storage) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.note_definition(row, storage);
        self.count(queue.due.len() - before);
    }
}

impl Chores {
    pub(crate) fn new(has_nodes: bool, admission: Admission) -> Self {
        Self { has_nodes, has_accounts: admission == Admission::Kube, ..Self::default() }
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

    /// Whether a namespace has no objects of a kind that is defined.
    pub(super) fn is_empty(&self, namespace: &str, catalog: &Catalog) -> bool {
        self.lock().is_empty(namespace, catalog)
    }

    /// Whether the foreground deletion of an owner with this uid has dependents to wait for.
    pub(super) fn is_blocked(&self, uid: &str) -> bool {
        self.lock().is_blocked(uid)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics under this lock")
    }
}
