//! ThreadSafeStore: objects by key, and their indices. Upstream: `tools/cache/thread_safe_store.go`.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use triomphe::Arc as Shared; // its count is only looked at, not written, to learn that nobody shares

use super::content::Content;
use super::error::Error;
use super::index::IndexFn;
use super::key::Object;
use super::lock::{Mutex, lock, lock_out_of_line};
use super::look::{Waited, Waiters, change, look_until};
use super::places::Places;
use super::snapshot::Snapshot;
use super::stored_index::{Move, StoredIndex};
use super::versions::{at_least, is_comparable};

/// Objects by a key that the caller gives, with indices: what is below a [`Store`](super::Store) and an
/// [`Indexer`](super::Indexer).
///
/// A reader gets a snapshot. It holds the lock only to copy a pointer, and looks at the objects without the lock. The first write
/// after that copies the part that it changes, and the snapshot keeps the old part. So a writer never waits while a reader
/// looks at objects, however many objects there are.
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
pub struct ThreadSafeStore<T>(Mutex<Guarded<T>>);

struct Guarded<T> {
    /// Shared with those who read it: a write then makes one of its own first.
    content: Shared<Content<T>>,
    /// Where each key's object is.
    places: HashMap<Arc<str>, usize, RandomState>,
    /// Places below the highest one that are empty.
    free: Vec<usize>,
    /// The version last written, not the highest one.
    resource_version: String,
    /// The highest comparable version since the last list; empty at first.
    seen: String,
    /// Is no writer left?
    closed: bool,
    /// Who waits for a version.
    waiters: Waiters,
}

impl<T> Waited for Guarded<T> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

/// One operation of a transaction.
pub(crate) enum Operation<T> {
    Put { key: String, object: Arc<T> },
    Delete { key: String, last: Option<Arc<T>> },
}

impl<T> Default for ThreadSafeStore<T> {
    fn default() -> Self {
        Self(Mutex::new(Guarded::of(Content::empty(Vec::new()))))
    }
}

impl<T> ThreadSafeStore<T> {
    /// An empty store without indices.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object with this key.
    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        let state = lock_out_of_line(&self.0);
        let place = *state.places.get(key)?;
        state.content.objects.get(place).cloned()
    }

    /// All objects as they are now.
    pub fn list(&self) -> Snapshot<T> {
        Snapshot::all(self.content())
    }

    /// The objects that share at least one value of the named index with `object`, each once.
    ///
    /// # Errors
    /// There is no such index.
    pub fn matching(&self, name: &str, object: &T) -> Result<Snapshot<T>, Error> {
        let number = self.number_of_index(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))?;
        Ok(self.chosen(number, |index| index.places_of(&index.values_of(object))))
    }

    /// The objects that have `value` in the named index.
    ///
    /// # Errors
    /// There is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Snapshot<T>, Error> {
        let number = self.number_of_index(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))?;
        Ok(self.chosen(number, |index| index.places(value)))
    }

    /// The objects in the places that are chosen from an index. An index that was once found never goes.
    pub(crate) fn chosen(&self, number: usize, choose: impl FnOnce(&StoredIndex<T>) -> Places) -> Snapshot<T> {
        let content = self.content();
        let places = content.indices.get(number).map(choose).unwrap_or_default();
        Snapshot::of(content, places)
    }

    pub(crate) fn number_of_index(&self, name: &str) -> Option<usize> {
        self.content().indices.iter().position(|index| index.name() == name)
    }

    /// Adds indices and fills them from what is stored.
    ///
    /// # Errors
    /// A name is taken, or given twice; none was added.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        let mut state = lock(&self.0);
        let content = Shared::make_mut(&mut state.content);
        let mut names: BTreeSet<&str> = content.indices.iter().map(StoredIndex::name).collect();
        let taken: BTreeSet<&String> =
            functions.iter().map(|(name, _)| name).filter(|name| !names.insert(name.as_str())).collect();
        if !taken.is_empty() {
            return Err(Error::IndexerConflict(taken.into_iter().cloned().collect()));
        }
        for (name, function) in functions {
            content.indices.push(StoredIndex::new(&name, function).rebuilt(&content.objects));
        }
        Ok(())
    }

    /// Waits until a version that is this one or later has been stored; no, if the store is closed before.
    pub(crate) async fn seen(&self, version: &str) -> bool {
        look_until(&self.0, |state| match (at_least(&state.seen, version), state.closed) {
            (true, _) => Ok(true),
            (false, true) => Ok(false),
            (false, false) => Err(state),
        })
        .await
    }

    /// Tells whoever waits for a version that no writer is left.
    pub(crate) fn close(&self) {
        change(&self.0, |state| state.closed = true);
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

    pub(crate) fn resource_version(&self) -> String {
        lock_out_of_line(&self.0).resource_version.clone()
    }

    pub(crate) fn set_resource_version(&self, version: &str) {
        change(&self.0, |state| state.note(version));
    }

    /// Replaces the whole content at once; of objects with the same key the last is kept.
    pub(crate) fn replace(&self, objects: Vec<(String, Arc<T>)>, version: &str) {
        let mut new = Guarded::of(Content::empty(Vec::new()));
        new.places.reserve(objects.len());
        for (key, object) in objects {
            let place = new.place_of(&key);
            Shared::make_mut(&mut new.content).objects.set(place, Some(object));
        }
        new.note(version); // also if the store has seen later ones: a list is all that is known
        let before = self.content(); // not under the lock: functions of others, and many objects
        new.rebuild(&before.indices);
        let old = change(&self.0, |state| {
            if state.content.indices.len() != before.indices.len() {
                new.rebuild(&state.content.indices); // some were added meanwhile
            }
            (new.waiters, new.closed) = (std::mem::take(&mut state.waiters), state.closed);
            std::mem::replace(state, new)
        });
        drop(old); // perhaps all objects, for which nobody is to wait
    }

    /// The content as it is.
    fn content(&self) -> Shared<Content<T>> {
        lock_out_of_line(&self.0).content.clone()
    }
}

impl<T: Object> ThreadSafeStore<T> {
    /// Stores an object in place of the one with this key, if any.
    pub fn update(&self, key: &str, object: Arc<T>) {
        drop(self.put(key, object)); // not under the lock: it may be the last of a large object
    }

    /// The same, and returns the object that was there.
    pub(crate) fn put(&self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
        change(&self.0, |state| state.put(key, object))
    }

    /// Removes the object with this key; that there is none is no error. Of `last`, its final state, the resourceVersion is
    /// noted in any case.
    pub fn delete(&self, key: &str, last: Option<&T>) {
        let old = change(&self.0, |state| state.delete(key, last));
        drop(old);
    }

    /// Does several operations under one lock, so that no reader sees some of them.
    pub(crate) fn transaction(&self, operations: Vec<Operation<T>>) {
        let old: Vec<Option<Arc<T>>> = change(&self.0, |state| {
            let done = operations.into_iter().map(|operation| match operation {
                Operation::Put { key, object } => state.put(&key, object),
                Operation::Delete { key, last } => state.delete(&key, last.as_deref()),
            });
            done.collect()
        });
        drop(old); // not under the lock
    }
}

impl<T> Guarded<T> {
    fn of(content: Content<T>) -> Self {
        Self {
            content: Shared::new(content),
            places: HashMap::default(),
            free: Vec::new(),
            resource_version: String::new(),
            seen: String::new(),
            closed: false,
            waiters: Waiters::default(),
        }
    }

    /// Makes indices like these, of what is stored.
    fn rebuild(&mut self, like: &[StoredIndex<T>]) {
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        *indices = like.iter().map(|index| index.rebuilt(objects)).collect();
    }

    /// Notes the version of what is written.
    #[inline]
    fn note(&mut self, version: &str) {
        note(&mut self.resource_version, &mut self.seen, version);
    }

    /// The place of this key, a new one if it has none.
    fn place_of(&mut self, key: &str) -> usize {
        if let Some(place) = self.places.get(key) {
            return *place;
        }
        let content = Shared::make_mut(&mut self.content);
        let place = self.free.pop().unwrap_or(content.len);
        let key: Arc<str> = key.into();
        content.keys.set(place, Some(key.clone()));
        content.len += 1;
        self.places.insert(key, place);
        place
    }
}

impl<T: Object> Guarded<T> {
    /// Puts an object in place of the one with this key, if any, and returns that one.
    fn put(&mut self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
        let Some(&place) = self.places.get(key) else {
            self.insert(key, object);
            return None;
        };
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let slot = objects.slot(place);
        let version = object.meta().resource_version; // of others, as the index functions: before anything changes
        let changes = changes(indices, slot.as_deref(), Some(&object));
        apply(indices, place, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        slot.replace(object)
    }

    /// Puts an object whose key is new.
    fn insert(&mut self, key: &str, object: Arc<T>) {
        let version = object.meta().resource_version;
        let changes = changes(&self.content.indices, None, Some(&*object));
        let place = self.place_of(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        apply(indices, place, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        objects.set(place, Some(object));
    }

    /// Removes the object with this key, and returns it.
    fn delete(&mut self, key: &str, last: Option<&T>) -> Option<Arc<T>> {
        let version = last.map(|last| last.meta().resource_version);
        let mut old = None;
        if let Some(&place) = self.places.get(key) {
            let Content { objects, keys, indices, len } = Shared::make_mut(&mut self.content);
            let changes = changes(indices, objects.get(place).map(|old| &**old), None);
            apply(indices, place, changes);
            old = objects.set(place, None);
            keys.set(place, None);
            *len -= 1;
            self.places.remove(key);
            self.free.push(place);
        }
        if let Some(version) = version {
            self.note(version);
        }
        old
    }
}

/// Notes a version as the last one, and as seen if it is later than those.
#[inline]
fn note(last: &mut String, seen: &mut String, version: &str) {
    version.clone_into(last);
    if !at_least(seen, version) && is_comparable(version) {
        version.clone_into(seen);
    }
}

/// The indices that change when `old` becomes `new`, by number.
type Changes<'a> = SmallVec<[(usize, Move<'a>); 1]>;

#[inline]
fn changes<'a, T>(indices: &[StoredIndex<T>], old: Option<&'a T>, new: Option<&'a T>) -> Changes<'a> {
    let numbered = indices.iter().enumerate();
    numbered.filter_map(|(number, index)| Some((number, index.change(old, new)?))).collect()
}

#[inline]
fn apply<T>(indices: &mut [StoredIndex<T>], place: usize, changes: Changes<'_>) {
    if changes.is_empty() {
        return; // most updates: sooner than a walk over nothing
    }
    for (number, change) in changes {
        indices[number].apply(place, change);
    }
}

impl<T> fmt::Debug for ThreadSafeStore<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = self.content();
        f.debug_struct("ThreadSafeStore").field("objects", &content.len).field("indices", &content.indices).finish()
    }
}
