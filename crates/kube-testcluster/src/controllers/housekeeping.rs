//! The work queue that the controllers inside the server share: the garbage collector, the namespace controller, and
//! those of nodes, pods, service accounts and cluster roles. After each write, the store calls [`Housekeeping`],
//! which queues the work items that the write causes, so no controller has to scan the store. `queue.rs` decides which
//! work items a write causes; `run.rs` performs them.

mod namespace_contents;
mod ownership_graph;
mod queue;
mod run;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::watch;

use super::node_lifecycle::NodeHealth;
use crate::settings::Admission;
use crate::store::event::Event;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::writes::WriteHook;
use kube_machinery::kinds::{Catalog, GroupResource, PODS, Resource};
use kube_machinery::value::Value;
use queue::Queue;
pub(super) use run::is_gone_or_changed;
pub(crate) use run::run;

/// A reference to an object: its kind and its key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectRef {
    pub(crate) kind: GroupResource,
    pub(crate) key: Key,
}

impl ObjectRef {
    pub(crate) fn of(object: &Object) -> Self {
        Self { kind: object.resource.group_resource(), key: object.key.clone() }
    }

    pub(crate) fn find(&self, storage: &Storage) -> Option<Arc<Object>> {
        storage.get_by_kind(&self.kind, &self.key)
    }
}

/// A task of one of the controllers, with the object, or the name of the object, that it is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WorkItem {
    /// Check whether the owners of an object still exist, because one of them may be gone.
    CheckOwners(ObjectRef),
    /// Handle the dependents of an object that is being deleted and held by a finalizer of the garbage collector.
    HandleDependents(ObjectRef),
    EmptyNamespace(String),
    /// Queue [`WorkItem::EmptyNamespace`] again after a pause, because the contents, and so the conditions, may have
    /// changed.
    EmptyNamespaceLater(String),
    CreateAccount(String),
    /// Complete a Secret for the token of a service account.
    FillToken(Key),
    /// Delete the tokens of a deleted service account, which had this uid.
    DeleteTokens(Key, String),
    /// Remove the reference to a deleted Secret, by its name, from its service account. The account had this uid, if
    /// the Secret named one.
    ForgetToken {
        account: Key,
        uid: Option<String>,
        secret: String,
    },
    /// Create or restore the config map `kube-root-ca.crt` of a namespace.
    PublishRootCa(String),
    AggregateRole(String),
    /// Handle a write of a node or of its Lease.
    SyncNode(String),
    /// Queue [`WorkItem::MonitorNode`] after a while.
    MonitorNodeLater(String),
    /// Check whether the kubelet of a node has fallen silent.
    MonitorNode(String),
    /// Queue [`WorkItem::TaintNoExecute`] after this time.
    TaintNoExecuteLater(Duration),
    /// Give the nodes in trouble the taints that evict their pods.
    TaintNoExecute,
    /// Queue [`WorkItem::CollectOrphans`] after a while, in case the missing node comes back.
    CollectOrphansLater(String),
    /// Delete the pods of a node that is still missing.
    CollectOrphans(String),
    /// Delete the terminating pods of an out-of-service node, whose kubelet cannot end them.
    CollectTerminating(String),
    /// Delete a pod that is being deleted and was never bound to a node.
    CollectUnscheduled(Key),
    /// Queue [`WorkItem::CollectTerminated`] after a while.
    CollectTerminatedLater,
    /// Delete the oldest ended pods beyond the number that is kept.
    CollectTerminated,
}

/// One entry of `metadata.ownerReferences`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) uid: String,
    /// The object that the reference names; `None` if no such kind is served, or if the kind is namespaced and the
    /// dependent is cluster-scoped.
    pub(crate) object_ref: Option<ObjectRef>,
    /// `blockOwnerDeletion`: true if a foreground deletion of the owner waits for this dependent.
    pub(crate) blocks_deletion: bool,
}

/// Returns the owners of an object. An owner reference has no namespace, so a namespaced owner is looked up in the
/// dependent's namespace.
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
    // A row of the catalog is a kind in one version; objects are stored under one of the versions.
    let row = catalog.served().find(|row| row.kind() == text("kind") && row.api_version() == text("apiVersion"));
    let row = row.map(Resource::stored);
    let object_ref = row.and_then(|row| {
        let namespace = dependent.key.namespace().filter(|_| row.is_namespaced());
        let reachable = namespace.is_some() || !row.is_namespaced();
        reachable.then(|| ObjectRef { kind: row.group_resource(), key: Key::new(namespace, text("name")) })
    });
    Owner { uid: text("uid").to_owned(), object_ref, blocks_deletion: reference["blockOwnerDeletion"] == true }
}

pub(crate) fn is_deleting(object: &Object) -> bool {
    object.summary.is_deleting
}

/// Returns true if the object is being deleted and has this finalizer.
pub(crate) fn is_held(object: &Object, finalizer: &str) -> bool {
    is_deleting(object) && object.summary.has_finalizer(finalizer)
}

/// The work items of one cluster. Each write adds the work items that it causes.
///
/// Lock order: take the store's lock first, then the lock of `queue`.
#[derive(Debug, Default)]
pub(crate) struct Housekeeping {
    /// True if pods need an existing node. False in a cluster that was created without nodes.
    has_nodes: bool,
    /// True if each namespace must have a service account and the config map of the root certificate.
    has_accounts: bool,
    queue: Mutex<Queue>,
    node_health: NodeHealth,
    /// The number of work items that are queued or in progress.
    unfinished: watch::Sender<usize>,
    /// Whether a pod has had an ephemeral volume, so that the controller of these volumes is needed. That controller
    /// watches all pods, so that it would slow down clusters that do not need it.
    ephemeral_volumes: watch::Sender<bool>,
}

impl WriteHook for Housekeeping {
    fn after_write(&self, event: &Event, storage: &Storage, catalog: &Catalog) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.note(event, storage, catalog);
        if self.has_nodes {
            queue.note_nodes(event, storage);
        }
        queue.note_pods(event);
        queue.note_roles(event);
        if self.has_accounts {
            queue.note_accounts(event);
        }
        self.count(queue.due.len() - before);
        if event.current.as_ref().is_some_and(|object| object.summary.has_ephemeral_volume && object.resource == PODS) {
            self.ephemeral_volumes.send_if_modified(|needed| !std::mem::replace(needed, true));
        }
    }

    fn after_definition(&self, kind: &Resource, storage: &Storage) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.note_definition(kind, storage);
        self.count(queue.due.len() - before);
    }
}

impl Housekeeping {
    pub(crate) fn new(has_nodes: bool, admission: Admission) -> Self {
        Self { has_nodes, has_accounts: admission == Admission::Kube, ..Self::default() }
    }

    /// Returns true if the tokens controller completes Secrets.
    #[cfg(feature = "tls")]
    pub(super) fn fills_tokens(&self) -> bool {
        self.has_accounts
    }

    pub(super) fn node_health(&self) -> &NodeHealth {
        &self.node_health
    }

    /// Returns a future that ends once a pod has an ephemeral volume.
    pub(crate) fn ephemeral_volumes_needed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut needed = self.ephemeral_volumes.subscribe();
        async move {
            if needed.wait_for(|needed| *needed).await.is_err() {
                std::future::pending::<()>().await; // the cluster ends
            }
        }
    }

    pub(super) fn add(&self, item: WorkItem) {
        let mut queue = self.lock();
        let before = queue.due.len();
        queue.push(item);
        self.count(queue.due.len() - before);
    }

    /// Counts new work items as unfinished, which wakes `next`.
    fn count(&self, more: usize) {
        self.unfinished.send_if_modified(|count| {
            *count += more;
            more > 0
        });
    }

    /// Waits for the next work item, which counts as unfinished until [`done`](Self::done).
    pub(super) async fn next(&self) -> WorkItem {
        let mut count = self.unfinished.subscribe();
        loop {
            if let Some(item) = self.lock().take() {
                return item;
            }
            if count.changed().await.is_err() {
                std::future::pending::<()>().await; // never reached, because the sender is a field of `self`
            }
        }
    }

    pub(super) fn done(&self) {
        self.unfinished.send_modify(|count| *count -= 1);
    }

    /// Returns true if work items are queued or in progress.
    pub(crate) fn has_any(&self) -> bool {
        *self.unfinished.borrow() > 0
    }

    pub(crate) async fn all_done(&self) {
        // Never fails, because the sender is a field of `self`.
        let _ = self.unfinished.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Drops the work items that the writes so far have caused.
    pub(crate) fn discard(&self) {
        self.lock().clear();
        self.unfinished.send_replace(0);
    }

    /// Lets the node lifecycle controller look at the first nodes, because its decisions about evictions need all nodes.
    /// A template may also have given a node the label of a silent one.
    pub(crate) fn sync_nodes(&self, names: impl Iterator<Item = String>) {
        names.for_each(|name| self.add(WorkItem::SyncNode(name)));
    }

    /// Returns the objects with an owner reference to this uid.
    pub(super) fn dependents_of(&self, uid: &str) -> Vec<ObjectRef> {
        self.lock().graph.dependents_of(uid)
    }

    /// Returns true if a namespace has no objects of a kind that is currently defined.
    pub(super) fn is_empty(&self, namespace: &str, catalog: &Catalog) -> bool {
        self.lock().contents.is_empty(namespace, catalog)
    }

    /// Returns true if dependents block the foreground deletion of the owner with this uid.
    pub(super) fn is_blocked(&self, uid: &str) -> bool {
        self.lock().graph.is_blocked(uid)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics under this lock")
    }
}
