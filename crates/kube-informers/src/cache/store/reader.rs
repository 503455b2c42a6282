//! Reader: what everyone but the writer has of a store. Upstream: the reading half of `Store` and `Indexer`, and
//! `ListAll` and its kin in `tools/cache/listers.go`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::index::{Index, NAMESPACE_INDEX};
use super::snapshot::Snapshot;
use super::thread_safe_store::ThreadSafeStore;
use super::versions::is_comparable;
use crate::cache::key::{Meta, Object};
use crate::selector::LabelSelector;

/// Reads a store and cannot write it. Clones read the same store. See [`Store::reader`](crate::cache::Store::reader).
pub struct Reader<T>(Arc<ThreadSafeStore<T>>);

/// Why a cache is not known to have what was waited for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stale {
    /// The resourceVersion is no number, so it cannot be compared. API servers from Kubernetes 1.35 on give numbers only.
    #[error("resourceVersion {0:?} cannot be compared: it is no number")]
    NotComparable(String),
    /// The time was up.
    #[error("the cache has not seen resourceVersion {0} in time")]
    InTime(String),
    /// The informer that fills the cache has ended, or whoever else wrote it is gone.
    #[error("the cache will not see resourceVersion {0}: its informer has ended")]
    Ended(String),
}

impl<T> Reader<T> {
    pub(crate) fn new(store: Arc<ThreadSafeStore<T>>) -> Self {
        Self(store)
    }

    /// The object with this key.
    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        self.0.get(key)
    }

    /// All objects as they are now, in constant time.
    pub fn list(&self) -> Snapshot<T> {
        self.0.list()
    }

    /// All keys, in the order of [`Reader::list`].
    pub fn keys(&self) -> Vec<String> {
        self.list().keys().map(ToString::to_string).collect()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// Is there no object?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index of this name, if there is one.
    pub fn index(&self, name: &str) -> Option<Index<T>> {
        Some(Index::new(self.0.clone(), self.0.number_of_index(name)?, name))
    }

    /// The names of the indices, sorted.
    pub fn index_names(&self) -> Vec<String> {
        self.0.index_names()
    }

    /// The resourceVersion last seen; see [`Store::last_resource_version`](crate::cache::Store::last_resource_version).
    pub fn last_resource_version(&self) -> String {
        self.0.resource_version()
    }

    /// Waits until the cache has seen this resourceVersion: read your own writes. Ask with the version that the API server gave
    /// to what was written; what is read afterwards is at least as new.
    ///
    /// Versions are compared as numbers, which API servers promise from Kubernetes 1.35 on (older ones do it for all resources
    /// that are kept in etcd). The wait is woken by the informer's writes and bookmarks. It is for versions of the informer's own
    /// resource: those of another are reached only when a bookmark, a list or a change of this one comes.
    ///
    /// Two writes are never seen: one that the informer's selector leaves out, and a deletion, for which the API server gives no
    /// version. For these the wait ends with the next bookmark or change, if the time is not up before.
    ///
    /// With [`QueueKind::DeltaFifo`](crate::cache::QueueKind) changes are stored key by key and not in the order of versions, and with
    /// all queues but the default one a list is stored object by object. A wait can then end while older changes of *other*
    /// objects are still queued.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
    /// use std::time::Duration;
    /// use kube_informers::cache::{Indexer, Stale, meta_namespace_key};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let store = Indexer::new(meta_namespace_key::<Pod>);
    /// let reader = store.reader();
    /// let second = Duration::from_secs(1);
    /// assert_eq!(reader.at_least("17", second).await, Err(Stale::InTime("17".into())));
    /// let (seen, ()) = tokio::join!(reader.at_least("17", second), async { store.bookmark("18") });
    /// assert_eq!(seen, Ok(()));
    /// # }
    /// ```
    ///
    /// # Errors
    /// The version is no number, the time is up, the informer has ended, or the store that it reads was dropped.
    pub async fn at_least(&self, resource_version: &str, timeout: Duration) -> Result<(), Stale> {
        if !is_comparable(resource_version) {
            return Err(Stale::NotComparable(resource_version.to_owned()));
        }
        match tokio::time::timeout(timeout, self.0.seen(resource_version)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stale::Ended(resource_version.to_owned())),
            Err(_) => Err(Stale::InTime(resource_version.to_owned())),
        }
    }
}

impl<T: Object> Reader<T> {
    /// The objects that a selector selects (client-go's `ListAll`).
    ///
    /// For "nothing" the store is not even looked at, and for "everything" no object's metadata is.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        if selector.is_nothing() { Vec::new() } else { selected(&self.list(), selector) }
    }

    /// The objects of a namespace that a selector selects (client-go's `ListAllByNamespace`); the empty namespace means all.
    ///
    /// Found through the index [`NAMESPACE_INDEX`], which has to index by namespace; where there is none, by looking at every
    /// object.
    pub fn select_in(&self, namespace: &str, selector: &LabelSelector) -> Vec<Arc<T>> {
        if selector.is_nothing() || namespace.is_empty() {
            return self.select(selector);
        }
        match self.index(NAMESPACE_INDEX) {
            Some(index) => selected(&index.get(namespace), selector),
            None => filter(&self.list(), |meta| meta.namespace == namespace && selector.matches(meta.labels)),
        }
    }
}

fn selected<T: Object>(objects: &Snapshot<T>, selector: &LabelSelector) -> Vec<Arc<T>> {
    if selector.is_everything() {
        return objects.iter().cloned().collect();
    }
    filter(objects, |meta| selector.matches(meta.labels))
}

fn filter<T: Object>(objects: &Snapshot<T>, fits: impl Fn(Meta<'_>) -> bool) -> Vec<Arc<T>> {
    objects.iter().filter(|object| fits(object.meta())).cloned().collect()
}

impl<T> Clone for Reader<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("objects", &self.len()).field("indices", &self.index_names()).finish()
    }
}
