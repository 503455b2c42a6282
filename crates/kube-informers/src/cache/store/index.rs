//! Index: finds objects by the values that an index function computes for them. Upstream: `IndexFunc` and `ByIndex` in
//! `tools/cache/index.go`.

use std::fmt;
use std::sync::Arc;

use super::index_values::IndexValues;
use super::snapshot::Snapshot;
use super::thread_safe_store::ThreadSafeStore;
use crate::cache::key::Object;

/// A function that computes an object's index values (client-go's `IndexFunc`). An object without values is stored but
/// not found by the index.
///
/// An index function cannot fail, because after a failure the store would have to drop the object, or the whole list
/// that contains it. Two calls with the same object must return the same values. The function runs under the store's
/// lock, so it must be quick, and must not use the store, which would deadlock.
pub type IndexFn<T> = Arc<dyn Fn(&T) -> IndexValues<'_> + Send + Sync>;

/// The name of the index by namespace, which a [`Reader`](crate::cache::Reader) uses to select by namespace
/// (client-go's `NamespaceIndex`).
pub const NAMESPACE_INDEX: &str = "namespace";

/// Returns the object's namespace as its index value (client-go's `MetaNamespaceIndexFunc`).
pub fn meta_namespace_index<T: Object>(object: &T) -> IndexValues<'_> {
    object.meta().namespace.into()
}

/// A handle to one index of a store. The index exists as long as the handle, so look-ups cannot fail. Clones are the
/// same index.
///
/// ```
/// use kube_informers::cache::{Indexer, meta_namespace_index, meta_namespace_key};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let pods = Indexer::new(meta_namespace_key::<Pod>);
/// let by_namespace = pods.index("namespace", meta_namespace_index)?;
/// let mut pod = Pod::default();
/// pod.metadata.namespace = Some("ns1".into());
/// pod.metadata.name = Some("pod1".into());
/// pods.add(pod)?;
/// assert_eq!(by_namespace.get("ns1").len(), 1);
/// assert_eq!(by_namespace.keys("ns1"), ["ns1/pod1"]);
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct Index<T> {
    store: Arc<ThreadSafeStore<T>>,
    /// The index's number in the store. The store never removes or reorders indices.
    number: usize,
    name: Arc<str>,
}

impl<T> Index<T> {
    pub(crate) fn new(store: Arc<ThreadSafeStore<T>>, number: usize, name: &str) -> Self {
        Self { store, number, name: name.into() }
    }

    /// Returns the name of the index.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a snapshot of the objects with this value.
    pub fn get(&self, value: &str) -> Snapshot<T> {
        self.store.select_by_index(self.number, |index| index.slots(value))
    }

    /// Returns the keys of the objects with this value, sorted.
    pub fn keys(&self, value: &str) -> Vec<String> {
        self.get(value).sorted_keys()
    }

    /// Returns a snapshot of the objects that share at least one value with `object`, each once (client-go's `Index`).
    pub fn matching(&self, object: &T) -> Snapshot<T> {
        self.store.select_by_index(self.number, |index| index.slots_of_any(&index.values_of(object)))
    }

    /// Returns the values of all objects, each once, sorted.
    pub fn values(&self) -> Vec<String> {
        self.store.index_values(&self.name)
    }
}

impl<T> Clone for Index<T> {
    fn clone(&self) -> Self {
        Self { store: self.store.clone(), number: self.number, name: self.name.clone() }
    }
}

impl<T> fmt::Debug for Index<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).finish_non_exhaustive()
    }
}
