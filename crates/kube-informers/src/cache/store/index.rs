//! Index: look-ups by the values of one index function. Upstream: `IndexFunc` and `ByIndex` in `tools/cache/index.go`.

use std::fmt;
use std::sync::Arc;

use super::index_values::IndexValues;
use super::snapshot::Snapshot;
use super::thread_safe_store::ThreadSafeStore;
use crate::cache::key::Object;

/// Computes the values under which an index has an object. An object without a value is stored, and is in no set of that index.
///
/// It cannot fail, because a failure would have to lose the object, or the whole list that the object came in. Two calls with
/// the same object must give the same values. It is called under the store's lock: it must be quick, and a look into its own
/// store would wait for ever.
pub type IndexFn<T> = Arc<dyn Fn(&T) -> IndexValues<'_> + Send + Sync>;

/// The name under which informers index by namespace (client-go's `NamespaceIndex`).
pub const NAMESPACE_INDEX: &str = "namespace";

/// Indexes by namespace (client-go's `MetaNamespaceIndexFunc`).
pub fn meta_namespace_index<T: Object>(object: &T) -> IndexValues<'_> {
    object.meta().namespace.into()
}

/// One index of a store, for look-ups. Whoever has it knows that the index exists, so no look-up fails. Clones are the same index.
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
    /// Its number in the store, which neither loses an index nor changes their order.
    number: usize,
    name: Arc<str>,
}

impl<T> Index<T> {
    pub(crate) fn new(store: Arc<ThreadSafeStore<T>>, number: usize, name: &str) -> Self {
        Self { store, number, name: name.into() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The objects that have this value, as they are now.
    pub fn get(&self, value: &str) -> Snapshot<T> {
        self.store.chosen(self.number, |index| index.places(value))
    }

    /// The keys of the objects that have this value, sorted.
    pub fn keys(&self, value: &str) -> Vec<String> {
        self.get(value).sorted_keys()
    }

    /// The objects that share at least one value with `object`, each once.
    pub fn matching(&self, object: &T) -> Snapshot<T> {
        self.store.chosen(self.number, |index| index.places_of(&index.values_of(object)))
    }

    /// The values that at least one object has, sorted.
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
