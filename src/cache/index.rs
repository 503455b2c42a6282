//! Index: which objects have which value. Upstream: `storeIndex` in `tools/cache/thread_safe_store.go`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use imbl::{OrdSet, Vector};

use super::error::{BoxError, Error, NoMetadata};
use super::key::Object;
use super::snapshot::Entry;

/// Computes an object's values in an index: none, one or several.
pub type IndexFn<T> = Arc<dyn Fn(&T) -> Result<Vec<String>, BoxError> + Send + Sync>;

/// The name under which informers index by namespace (client-go's `NamespaceIndex`).
pub const NAMESPACE_INDEX: &str = "namespace";

/// Indexes by namespace (client-go's `MetaNamespaceIndexFunc`).
///
/// # Errors
/// [`NoMetadata`] for an object without metadata.
pub fn meta_namespace_index<T: Object>(object: &T) -> Result<Vec<String>, BoxError> {
    Ok(vec![object.meta().ok_or(NoMetadata)?.namespace.to_owned()])
}

/// The places of the objects of one index, by value. No set is empty.
pub(crate) struct Index<T> {
    name: String,
    function: IndexFn<T>,
    values: HashMap<String, OrdSet<usize>>,
}

/// What storing or deleting one object means for an index.
pub(crate) enum Change {
    Same,
    Moved { from: Vec<String>, to: Vec<String> },
}

impl<T> Index<T> {
    pub fn new(name: String, function: IndexFn<T>) -> Self {
        Self { name, function, values: HashMap::new() }
    }

    pub fn values_of(&self, object: &T) -> Result<Vec<String>, BoxError> {
        (self.function)(object)
    }

    /// What changes when `old` becomes `new`; nothing does yet.
    pub fn change(&self, key: &str, old: Option<&T>, new: Option<&T>) -> Result<Change, Error> {
        let values = |object: Option<&T>| match object {
            Some(object) => self.values_of(object).map_err(|source| Error::Index {
                key: key.to_owned(),
                index: self.name.clone(),
                source,
            }),
            None => Ok(Vec::new()),
        };
        let (from, to) = (values(old)?, values(new)?);
        Ok(if from == to && old.is_some() { Change::Same } else { Change::Moved { from, to } })
    }

    pub fn apply(&mut self, place: usize, change: Change) {
        let Change::Moved { from, to } = change else { return };
        for value in from {
            if let Some(places) = self.values.get_mut(&value) {
                places.remove(&place);
                if places.is_empty() {
                    self.values.remove(&value);
                }
            }
        }
        for value in to {
            self.values.entry(value).or_default().insert(place);
        }
    }

    /// The same index over other content.
    pub fn rebuilt(&self, slots: &Vector<Option<Entry<T>>>) -> Result<Self, Error> {
        let mut rebuilt = Self::new(self.name.clone(), self.function.clone());
        for (place, entry) in slots.iter().enumerate() {
            if let Some(Entry { key, object }) = entry {
                let change = rebuilt.change(key, None, Some(object))?;
                rebuilt.apply(place, change);
            }
        }
        Ok(rebuilt)
    }

    pub fn places(&self, value: &str) -> OrdSet<usize> {
        self.values.get(value).cloned().unwrap_or_default()
    }

    pub fn places_of(&self, values: &[String]) -> OrdSet<usize> {
        values.iter().fold(OrdSet::new(), |all, value| all.union(self.places(value)))
    }

    /// The values that some object has, sorted.
    pub fn values(&self) -> Vec<String> {
        let mut values: Vec<_> = self.values.keys().cloned().collect();
        values.sort_unstable();
        values
    }
}

impl<T> fmt::Debug for Index<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("name", &self.name).field("values", &self.values).finish_non_exhaustive()
    }
}
