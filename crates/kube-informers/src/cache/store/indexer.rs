//! Indexer: the methods of a store that add indices and find objects by them. Upstream: `tools/cache/index.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Store;
use super::index::{Index, IndexFn};
use super::index_values::IndexValues;
use super::snapshot::Snapshot;
use crate::cache::error::Error;

/// A [`Store`] with indices (client-go's `Indexer`). It is the same type, because any store can have indices.
///
/// ```
/// use kube_informers::cache::{Indexer, meta_namespace_index, meta_namespace_key};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let indexer = Indexer::new(meta_namespace_key::<Pod>);
/// let by_namespace = indexer.index("namespace", meta_namespace_index)?;
/// let mut pod = Pod::default();
/// pod.metadata.namespace = Some("ns1".into());
/// pod.metadata.name = Some("pod1".into());
/// indexer.add(pod)?;
/// assert_eq!(by_namespace.keys("ns1"), ["ns1/pod1"]);
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub type Indexer<T> = Store<T>;

impl<T> Store<T> {
    /// Adds an index, which then contains all stored objects. This is possible at any time.
    ///
    /// # Errors
    /// An index with that name exists already.
    pub fn index(
        &self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.add_indexers(vec![(name.to_owned(), Arc::new(function))])?;
        let number = self.content.number_of_index(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))?;
        Ok(Index::new(self.content.clone(), number, name))
    }

    /// Adds several indices (client-go's `AddIndexers`).
    ///
    /// # Errors
    /// A name exists already or occurs twice. No index was added.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        self.content.add_indexers(functions)
    }

    /// Returns the objects that share at least one value of the named index with `object`, each once (client-go's
    /// `Index`).
    ///
    /// # Errors
    /// No index has this name.
    pub fn matching(&self, index: &str, object: &T) -> Result<Snapshot<T>, Error> {
        self.content.matching(index, object)
    }

    /// Returns the objects with this value in the named index (client-go's `ByIndex`).
    ///
    /// # Errors
    /// No index has this name.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Snapshot<T>, Error> {
        self.content.by_index(index, value)
    }

    /// Returns the keys of the objects with this value in the named index, sorted (client-go's `IndexKeys`).
    ///
    /// # Errors
    /// No index has this name.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, Error> {
        Ok(self.by_index(index, value)?.sorted_keys())
    }

    /// Returns all values in the named index, each once, sorted; none without such an index (client-go's
    /// `ListIndexFuncValues`).
    pub fn list_index_func_values(&self, index: &str) -> Vec<String> {
        self.content.index_values(index)
    }

    /// Returns the names of the indices, sorted.
    pub fn indexers(&self) -> Vec<String> {
        self.content.index_names()
    }

    /// Returns a copy of all indices: the keys by index name and value. Meant for debugging.
    pub fn indices(&self) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
        let keys = |index: &str, value: &str| self.index_keys(index, value).unwrap_or_default().into_iter().collect();
        let values = |index: &str| {
            self.list_index_func_values(index).into_iter().map(|value| (value.clone(), keys(index, &value))).collect()
        };
        self.indexers().into_iter().map(|index| (index.clone(), values(&index))).collect()
    }
}
