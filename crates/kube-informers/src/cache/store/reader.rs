//! Reader: a read-only view of a store, which an informer gives to user code so that only the informer writes.
//! Upstream: the reading half of `Store` and `Indexer`, and `ListAll` and `ListAllByNamespace` in
//! `tools/cache/listers.go`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::index::{Index, NAMESPACE_INDEX};
use super::snapshot::Snapshot;
use super::thread_safe_store::ThreadSafeStore;
use super::versions::is_comparable;
use crate::cache::key::{Meta, Object};
use crate::selector::LabelSelector;

/// A read-only view of a store. Clones read the same store. See [`Store::reader`](crate::cache::Store::reader).
pub struct Reader<T>(Arc<ThreadSafeStore<T>>);

/// The error of [`Reader::at_least`]: the cache may not contain the awaited resourceVersion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stale {
    /// The resourceVersion is not a number. API servers from Kubernetes 1.35 on use numbers only.
    #[error("resourceVersion {0:?} cannot be compared, because it is not a number")]
    NotComparable(String),
    /// The timeout passed.
    #[error("the cache did not reach resourceVersion {0} within the timeout")]
    InTime(String),
    /// The informer that fills the cache has ended, or the store was dropped.
    #[error("the cache will not reach resourceVersion {0}, because its informer has ended")]
    Ended(String),
}

impl<T> Reader<T> {
    pub(crate) fn new(store: Arc<ThreadSafeStore<T>>) -> Self {
        Self(store)
    }

    /// Returns the object with this key.
    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        self.0.get(key)
    }

    /// Returns a snapshot of all objects, in constant time.
    pub fn list(&self) -> Snapshot<T> {
        self.0.list()
    }

    /// Returns all keys, in the order of [`Reader::list`].
    pub fn keys(&self) -> Vec<String> {
        self.list().keys().map(ToString::to_string).collect()
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        self.list().len()
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index with this name, if there is one.
    pub fn index(&self, name: &str) -> Option<Index<T>> {
        Some(Index::new(self.0.clone(), self.0.number_of_index(name)?, name))
    }

    /// Returns the names of the indices, sorted.
    pub fn index_names(&self) -> Vec<String> {
        self.0.index_names()
    }

    /// Returns the resourceVersion of the last write; see
    /// [`Store::last_resource_version`](crate::cache::Store::last_resource_version).
    pub fn last_resource_version(&self) -> String {
        self.0.resource_version()
    }

    /// Waits until the cache contains all changes up to this resourceVersion, which lets a controller read its own
    /// writes. Pass the resourceVersion from the API server's answer to a write; later reads are at least that new.
    ///
    /// ResourceVersions are compared as numbers. From Kubernetes 1.35 on, API servers guarantee that this is right; in
    /// older ones it is right for all resources in etcd. Use resourceVersions of the informer's own resource: one of
    /// another resource is reached only by the next bookmark, list or change of this resource.
    ///
    /// The cache never sees a write to an object that the informer's selector excludes, nor the resourceVersion of a
    /// deletion, which the API server does not return. In these cases the wait ends with the next bookmark or change,
    /// or at the timeout.
    ///
    /// With [`QueueKind::DeltaFifo`](crate::cache::QueueKind), changes are stored key by key and not in the order of
    /// resourceVersions, and with every queue but the default one, a list is stored object by object. The wait can then
    /// end while older changes of *other* objects are still queued.
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
    /// The resourceVersion is not a number, the timeout passed, the informer has ended, or the store was dropped.
    pub async fn at_least(&self, resource_version: &str, timeout: Duration) -> Result<(), Stale> {
        if !is_comparable(resource_version) {
            return Err(Stale::NotComparable(resource_version.to_owned()));
        }
        match tokio::time::timeout(timeout, self.0.wait_until_seen(resource_version)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stale::Ended(resource_version.to_owned())),
            Err(_) => Err(Stale::InTime(resource_version.to_owned())),
        }
    }
}

impl<T: Object> Reader<T> {
    /// Returns the objects that match the selector (client-go's `ListAll`).
    pub fn select(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        if selector.is_nothing() { Vec::new() } else { selected(&self.list(), selector) }
    }

    /// Returns the objects of a namespace, or of all if it is empty, that match the selector (client-go's
    /// `ListAllByNamespace`).
    ///
    /// If the store has an index with the name [`NAMESPACE_INDEX`], it must index by namespace and is used. Without it,
    /// all objects are scanned.
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

/// Returns the objects that match the selector. A selector without requirements takes all objects unchecked.
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
