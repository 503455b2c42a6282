//! ThreadSafeStore: the mutex-protected map under a store. Upstream: `tools/cache/thread_safe_store.go`.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use triomphe::Arc as Shared;

use super::content::Content;
use super::index::IndexFn;
use super::replacement::{Replaced, Replacement};
use super::slot_set::SlotSet;
use super::snapshot::Snapshot;
use super::store_state::StoreState;
use super::stored_index::StoredIndex;
use super::versions::at_least;
use crate::cache::condvar::{change_and_wake, wait_until};
use crate::cache::error::Error;
use crate::cache::key::Object;
use crate::cache::observe::IndexSets;
use crate::lock::{Mutex, lock, lock_yielding};

/// Objects by keys that the caller computes, with indices (client-go's `ThreadSafeStore`). It is the layer below
/// [`Store`](crate::cache::Store) and [`Indexer`](crate::cache::Indexer).
///
/// A reader gets a snapshot: it holds the lock only to copy a pointer. The first write after that copies the part that
/// it changes, and the snapshot keeps the old part. So a writer never waits while a reader reads the objects of its
/// snapshot.
///
/// ```
/// use std::sync::Arc;
/// use kube_informers::cache::ThreadSafeStore;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let store = ThreadSafeStore::new();
/// let before = store.list();
/// store.update("nettool", Arc::new(Pod::default()));
/// assert_eq!((before.len(), store.list().len()), (0, 1));
/// ```
pub struct ThreadSafeStore<T>(Mutex<StoreState<T>>);

pub(crate) enum Operation<T> {
    /// Stores an object, new or existing.
    Put { key: String, object: Arc<T> },
    /// Removes an object. `last` is its final state, if it is known.
    Delete { key: String, last: Option<Arc<T>> },
}

impl<T> Default for ThreadSafeStore<T> {
    fn default() -> Self {
        Self(Mutex::new(StoreState::of(Content::empty(Vec::new()))))
    }
}

impl<T> ThreadSafeStore<T> {
    /// Makes an empty store without indices.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the object with this key.
    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        let state = lock_yielding(&self.0);
        let slot = *state.slots.get(key)?;
        state.content.objects.get(slot).cloned()
    }

    /// Returns a snapshot of all objects.
    pub fn list(&self) -> Snapshot<T> {
        Snapshot::all(self.content())
    }

    /// Iterates over a snapshot of all objects. The iterator owns the snapshot.
    pub(crate) fn walk(&self) -> impl Iterator<Item = Arc<T>> + use<T> {
        let content = self.content();
        content.objects.range().filter_map(move |slot| content.objects.get(slot).cloned())
    }

    /// Returns the objects that share at least one value of the named index with `object`, each once (client-go's
    /// `Index`).
    ///
    /// # Errors
    /// No index has this name.
    pub fn matching(&self, name: &str, object: &T) -> Result<Snapshot<T>, Error> {
        let number = self.number_of_index(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))?;
        Ok(self.select_by_index(number, |index| index.slots_of_any(&index.values_of(object))))
    }

    /// Returns the objects with `value` in the named index (client-go's `ByIndex`).
    ///
    /// # Errors
    /// No index has this name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Snapshot<T>, Error> {
        let number = self.number_of_index(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))?;
        Ok(self.select_by_index(number, |index| index.slots(value)))
    }

    /// Returns a snapshot of the objects in the slots that `choose` takes from an index. Indices are never removed, so
    /// the number stays valid.
    pub(crate) fn select_by_index(
        &self,
        number: usize,
        choose: impl FnOnce(&StoredIndex<T>) -> SlotSet,
    ) -> Snapshot<T> {
        let content = self.content();
        let slots = content.indices.get(number).map(choose).unwrap_or_default();
        Snapshot::of(content, slots)
    }

    pub(crate) fn number_of_index(&self, name: &str) -> Option<usize> {
        self.content().indices.iter().position(|index| index.name() == name)
    }

    /// Adds indices and fills them with the stored objects (client-go's `AddIndexers`).
    ///
    /// # Errors
    /// A name exists already or occurs twice. No index was added.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        let mut state = lock(&self.0);
        let content = Shared::make_mut(&mut state.content);
        let mut names: BTreeSet<&str> = content.indices.iter().map(StoredIndex::name).collect();
        let conflicting: BTreeSet<&String> =
            functions.iter().map(|(name, _)| name).filter(|name| !names.insert(name.as_str())).collect();
        if !conflicting.is_empty() {
            return Err(Error::IndexerConflict(conflicting.into_iter().cloned().collect()));
        }
        for (name, function) in functions {
            content.indices.push(StoredIndex::new(&name, function).rebuild(&content.objects));
        }
        Ok(())
    }

    /// Waits until this resourceVersion or a later one was written. Returns false if the store was closed before that.
    pub(crate) async fn wait_until_seen(&self, version: &str) -> bool {
        wait_until(&self.0, |state| match (at_least(&state.seen, version), state.closed) {
            (true, _) => Ok(true),
            (false, true) => Ok(false),
            (false, false) => Err(state),
        })
        .await
    }

    /// Ends all waits for a resourceVersion, because no writer is left.
    pub(crate) fn close(&self) {
        change_and_wake(&self.0, |state| state.closed = true);
    }

    pub(crate) fn index_values(&self, name: &str) -> Vec<String> {
        let content = self.content();
        content.indices.iter().find(|index| index.name() == name).map(StoredIndex::values).unwrap_or_default()
    }

    pub(crate) fn index_names(&self) -> Vec<String> {
        let mut names: Vec<_> = self.content().indices.iter().map(|index| index.name().to_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Returns, for each index, the values of `new`, and the values of the object under this key that `new` does not have.
    pub(crate) fn index_sets(&self, key: &str, new: Option<&T>) -> Vec<IndexSets> {
        let (content, slot) = {
            let state = lock_yielding(&self.0);
            (state.content.clone(), state.slots.get(key).copied())
        };
        let sets = content.indices.iter().map(|index| {
            let values: Vec<String> = match new {
                Some(new) => index.values_of(new).iter().map(ToString::to_string).collect(),
                None => Vec::new(),
            };
            let old = slot.map(|slot| index.of_slot(slot)).unwrap_or_default().iter().map(ToString::to_string);
            let left = old.filter(|value| !values.contains(value)).collect();
            IndexSets { index: index.name().to_owned(), values, left }
        });
        sets.collect()
    }

    /// Returns the resourceVersion of the last write.
    pub(crate) fn resource_version(&self) -> String {
        lock_yielding(&self.0).resource_version.clone()
    }

    /// Records that the content is up to date at this resourceVersion.
    pub(crate) fn set_resource_version(&self, version: &str) {
        change_and_wake(&self.0, |state| state.note(version));
    }

    /// Makes an empty replacement of the whole content, with room for `objects` objects.
    pub(crate) fn replacement(&self, objects: usize) -> Replacement<T> {
        Replacement::of(self.content(), objects)
    }

    /// Replaces the whole content at once, and returns the old content.
    pub(crate) fn replace(&self, replacement: Replacement<T>, version: &str) -> Replaced<T> {
        change_and_wake(&self.0, |state| replacement.commit(state, version))
    }

    /// Returns the current content without copying it.
    fn content(&self) -> Shared<Content<T>> {
        lock_yielding(&self.0).content.clone()
    }
}

impl<T: Object> ThreadSafeStore<T> {
    /// Stores an object and replaces an object with the same key, if any.
    pub fn update(&self, key: &str, object: Arc<T>) {
        drop(self.put(key, object)); // without the lock, because this may free a large object
    }

    /// Stores an object and returns the object that it replaced.
    pub(crate) fn put(&self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
        change_and_wake(&self.0, |state| state.put(key, object))
    }

    /// Removes the object with this key, if there is one. The resourceVersion of `last`, the final state, is recorded
    /// in any case.
    pub fn delete(&self, key: &str, last: Option<&T>) {
        let old = change_and_wake(&self.0, |state| state.delete(key, last));
        drop(old);
    }

    /// Executes several operations under one lock, so that no reader sees only a part of them.
    pub(crate) fn transaction(&self, operations: Vec<Operation<T>>) {
        let old: Vec<Option<Arc<T>>> = change_and_wake(&self.0, |state| {
            let done = operations.into_iter().map(|operation| match operation {
                Operation::Put { key, object } => state.put(&key, object),
                Operation::Delete { key, last } => state.delete(&key, last.as_deref()),
            });
            done.collect()
        });
        drop(old); // without the lock, as in `update`
    }
}

impl<T> fmt::Debug for ThreadSafeStore<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.content();
        f.debug_struct("ThreadSafeStore").field("objects", &content.len).field("indices", &content.indices).finish()
    }
}
