//! Indexer: a store that also finds objects by the values of index functions. Upstream: `tools/cache/index.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use super::error::{BoxError, Error};
use super::index::IndexFn;
use super::index_values::IndexValues;
use super::key::{IntoKey, Object};
use super::observe::Observer;
use super::snapshot::Snapshot;
use super::store::{KnownObjects, Store};

/// A [`Store`] with indices. Everything a store does, it does too.
///
/// ```
/// use kube_informers::cache::{Indexer, meta_namespace_index, meta_namespace_key};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let indexer = Indexer::new(meta_namespace_key::<Pod>).index("namespace", meta_namespace_index)?;
/// let mut pod = Pod::default();
/// pod.metadata.namespace = Some("ns1".into());
/// pod.metadata.name = Some("pod1".into());
/// indexer.add(pod)?;
/// assert_eq!(indexer.index_keys("namespace", "ns1")?, ["ns1/pod1"]);
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct Indexer<T>(Store<T>);

impl<T> Indexer<T> {
    /// An empty indexer without indices.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self(Store::new(key))
    }

    /// Adds an index.
    ///
    /// # Errors
    /// There is one of that name already.
    pub fn index(
        self,
        name: impl Into<String>,
        function: impl Fn(&T) -> Result<IndexValues<'_>, BoxError> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        self.add_indexers(vec![(name.into(), Arc::new(function))])?;
        Ok(self)
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(self, observer: Observer) -> Self {
        Self(self.0.observer(observer))
    }

    /// Changes every object before it is stored; see [`Store::transformer`].
    #[must_use]
    pub fn transformer(self, transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static) -> Self {
        Self(self.0.transformer(transform))
    }

    /// Adds indices at any time; what is stored already is in them when this returns.
    ///
    /// # Errors
    /// A name is taken, or a function fails for a stored object; none was added.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        self.0.content.add_indexers(functions)
    }

    /// The objects that share at least one value of the named index with `object`, each once.
    ///
    /// # Errors
    /// There is no such index, or its function fails for `object`.
    pub fn matching(&self, index: &str, object: &T) -> Result<Snapshot<T>, Error> {
        self.0.content.index(index, object)
    }

    /// The objects that have this value.
    ///
    /// # Errors
    /// There is no such index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Snapshot<T>, Error> {
        self.0.content.by_index(index, value)
    }

    /// The keys of the objects that have this value, sorted.
    ///
    /// # Errors
    /// There is no such index.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<String>, Error> {
        let mut keys: Vec<_> = self.by_index(index, value)?.keys().map(ToString::to_string).collect();
        keys.sort_unstable();
        Ok(keys)
    }

    /// The values that at least one object has, sorted. An unknown index has none.
    pub fn list_index_func_values(&self, index: &str) -> Vec<String> {
        self.0.content.index_values(index)
    }

    /// The names of the indices, sorted.
    pub fn indexers(&self) -> Vec<String> {
        self.0.content.index_names()
    }
}

impl<T: Object> Indexer<T> {
    /// Everything that is indexed, by index and value: a copy to look at.
    pub fn indices(&self) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
        let keys = |index: &str, value: &str| self.index_keys(index, value).unwrap_or_default().into_iter().collect();
        let values = |index: &str| {
            self.list_index_func_values(index).into_iter().map(|value| (value.clone(), keys(index, &value))).collect()
        };
        self.indexers().into_iter().map(|index| (index.clone(), values(&index))).collect()
    }
}

impl<T> Deref for Indexer<T> {
    type Target = Store<T>;

    fn deref(&self) -> &Store<T> {
        &self.0
    }
}

impl<T: Object + Send + Sync> KnownObjects<T> for Indexer<T> {
    fn list_keys(&self) -> Vec<String> {
        self.0.list_keys()
    }

    fn get_by_key(&self, key: &str) -> Result<Option<Arc<T>>, BoxError> {
        Ok(self.0.get_by_key(key))
    }
}
