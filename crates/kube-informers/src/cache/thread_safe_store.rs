//! ThreadSafeStore: objects by key, and their indices. Upstream: `tools/cache/thread_safe_store.go`.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use triomphe::Arc as Shared; // its count is only looked at, not written, to learn that nobody shares

use super::content::Content;
use super::error::Error;
use super::index::{Index, IndexFn, Move};
use super::key::Object;
use super::lock::{Mutex, lock, lock_out_of_line};
use super::snapshot::Snapshot;

/// Objects by a key that the caller gives, with indices: what is below a [`Store`](super::Store) and an
/// [`Indexer`](super::Indexer).
///
/// Readers are given snapshots: whoever reads takes the lock for as long as to copy a pointer, and looks at objects without it.
/// The first write after that copies what it changes and leaves to the readers what they have. So the writer never waits for
/// somebody who looks at objects, however many they are.
///
/// ```
/// use std::sync::Arc;
/// use kube_informers::cache::ThreadSafeStore;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let store = ThreadSafeStore::new();
/// let before = store.list();
/// store.update("nettool", Arc::new(Pod::default()))?;
/// assert_eq!((before.len(), store.list().len()), (0, 1));
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct ThreadSafeStore<T>(Mutex<State<T>>);

struct State<T> {
    /// Shared with those who read it: a write then makes one of its own first.
    content: Shared<Content<T>>,
    /// Where each key's object is.
    places: HashMap<Arc<str>, usize, RandomState>,
    /// Places below the highest one that are empty.
    free: Vec<usize>,
    /// The version last written, not the highest one.
    resource_version: String,
}

/// One operation of a transaction.
pub(crate) enum Operation<T> {
    Put {
        key: String,
        object: Arc<T>,
    },
    Delete {
        key: String,
        last: Option<Arc<T>>,
    },
    /// One whose key could not be computed.
    Failed(Error),
}

impl<T> Default for ThreadSafeStore<T> {
    fn default() -> Self {
        Self(Mutex::new(State::of(Content::empty(Vec::new()))))
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
    /// There is no such index, or its function fails for `object`.
    pub fn index(&self, name: &str, object: &T) -> Result<Snapshot<T>, Error> {
        let content = self.content();
        let index = content.index(name)?;
        let places = index.places_of(&index.values_of(object).map_err(Error::IndexValue)?);
        Ok(Snapshot::of(content, places))
    }

    /// The objects that have `value` in the named index.
    ///
    /// # Errors
    /// There is no such index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Snapshot<T>, Error> {
        let content = self.content();
        let places = content.index(name)?.places(value);
        Ok(Snapshot::of(content, places))
    }

    /// Adds indices and fills them from what is stored.
    ///
    /// # Errors
    /// A name is taken, or a function fails for a stored object; none was added.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        let mut state = lock(&self.0);
        let content = Shared::make_mut(&mut state.content);
        let names = functions.iter().map(|(name, _)| name);
        let taken: BTreeSet<_> = names.filter(|name| content.index(name).is_ok()).cloned().collect();
        if !taken.is_empty() {
            return Err(Error::IndexerConflict(taken.into_iter().collect()));
        }
        let added = functions
            .into_iter()
            .map(|(name, function)| Index::new(&name, function).rebuilt(&content.keys, &content.objects))
            .collect::<Result<Vec<_>, Error>>()?;
        content.indices.extend(added);
        content.indices.sort_unstable_by(|a, b| a.name().cmp(b.name()));
        Ok(())
    }

    pub(crate) fn index_values(&self, name: &str) -> Vec<String> {
        self.content().index(name).map(Index::values).unwrap_or_default()
    }

    pub(crate) fn index_names(&self) -> Vec<String> {
        self.content().indices.iter().map(|index| index.name().to_owned()).collect()
    }

    pub(crate) fn resource_version(&self) -> String {
        lock_out_of_line(&self.0).resource_version.clone()
    }

    pub(crate) fn set_resource_version(&self, version: &str) {
        version.clone_into(&mut lock(&self.0).resource_version);
    }

    /// Replaces the whole content at once; of objects with the same key the last is kept.
    pub(crate) fn replace(&self, objects: Vec<(String, Arc<T>)>, version: &str) -> Result<(), Error> {
        let mut new = State::of(Content::empty(Vec::new()));
        new.places.reserve(objects.len());
        for (key, object) in objects {
            let place = new.place_of(&key);
            Shared::make_mut(&mut new.content).objects.set(place, Some(object));
        }
        version.clone_into(&mut new.resource_version);
        let before = self.content(); // not under the lock: functions of others, and many objects
        new.rebuild(&before.indices)?;
        let mut state = lock(&self.0);
        if state.content.indices.len() != before.indices.len() {
            new.rebuild(&state.content.indices)?; // some were added meanwhile
        }
        let old = std::mem::replace(&mut *state, new);
        drop(state);
        drop(old); // perhaps all objects, for which nobody is to wait
        Ok(())
    }

    /// The content as it is.
    fn content(&self) -> Shared<Content<T>> {
        lock_out_of_line(&self.0).content.clone()
    }
}

impl<T: Object> ThreadSafeStore<T> {
    /// Stores an object in place of the one with this key, if any.
    ///
    /// # Errors
    /// An index function failed; nothing was changed.
    pub fn update(&self, key: &str, object: Arc<T>) -> Result<(), Error> {
        drop(self.put(key, object)?); // not under the lock: it may be the last of a large object
        Ok(())
    }

    /// The same, and returns the object that was there.
    pub(crate) fn put(&self, key: &str, object: Arc<T>) -> Result<Option<Arc<T>>, Error> {
        lock(&self.0).put(key, object)
    }

    /// Removes the object with this key; that there is none is no error. Of `last`, its final state, the resourceVersion is
    /// noted in any case.
    ///
    /// # Errors
    /// An index function failed; nothing was changed.
    pub fn delete(&self, key: &str, last: Option<&T>) -> Result<(), Error> {
        let old = lock(&self.0).delete(key, last)?;
        drop(old);
        Ok(())
    }

    /// Does several operations under one lock, so that no reader sees some of them. Tells which failed.
    pub(crate) fn transaction(&self, operations: Vec<Operation<T>>) -> Vec<Result<(), Error>> {
        let mut old = Vec::with_capacity(operations.len()); // dropped when the lock is free
        let mut state = lock(&self.0);
        let results = operations.into_iter().map(|operation| {
            old.push(match operation {
                Operation::Put { key, object } => state.put(&key, object)?,
                Operation::Delete { key, last } => state.delete(&key, last.as_deref())?,
                Operation::Failed(error) => return Err(error),
            });
            Ok(())
        });
        results.collect()
    }
}

impl<T> State<T> {
    fn of(content: Content<T>) -> Self {
        Self {
            content: Shared::new(content),
            places: HashMap::default(),
            free: Vec::new(),
            resource_version: String::new(),
        }
    }

    /// Makes indices like these, of what is stored.
    fn rebuild(&mut self, like: &[Index<T>]) -> Result<(), Error> {
        let Content { keys, objects, indices, .. } = Shared::make_mut(&mut self.content);
        *indices = like.iter().map(|index| index.rebuilt(keys, objects)).collect::<Result<_, Error>>()?;
        Ok(())
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

impl<T: Object> State<T> {
    /// Puts an object in place of the one with this key, if any, and returns that one.
    fn put(&mut self, key: &str, object: Arc<T>) -> Result<Option<Arc<T>>, Error> {
        let Some(&place) = self.places.get(key) else {
            self.insert(key, object)?;
            return Ok(None);
        };
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let slot = objects.slot(place);
        let changes = changes(indices, key, slot.as_deref(), Some(&object))?;
        apply(indices, place, changes);
        note_version(&mut self.resource_version, &*object);
        Ok(slot.replace(object))
    }

    /// Puts an object whose key is new.
    fn insert(&mut self, key: &str, object: Arc<T>) -> Result<(), Error> {
        let changes = changes(&self.content.indices, key, None, Some(&*object))?;
        let place = self.place_of(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        apply(indices, place, changes);
        note_version(&mut self.resource_version, &*object);
        objects.set(place, Some(object));
        Ok(())
    }

    /// Removes the object with this key, and returns it.
    fn delete(&mut self, key: &str, last: Option<&T>) -> Result<Option<Arc<T>>, Error> {
        let mut old = None;
        if let Some(&place) = self.places.get(key) {
            let Content { objects, keys, indices, len } = Shared::make_mut(&mut self.content);
            let changes = changes(indices, key, objects.get(place).map(|old| &**old), None)?;
            apply(indices, place, changes);
            old = objects.set(place, None);
            keys.set(place, None);
            *len -= 1;
            self.places.remove(key);
            self.free.push(place);
        }
        if let Some(last) = last {
            note_version(&mut self.resource_version, last);
        }
        Ok(old)
    }
}

fn note_version<T: Object>(version: &mut String, object: &T) {
    object.meta().resource_version.clone_into(version);
}

/// The indices that change when `old` becomes `new`, by number.
type Changes<'a> = SmallVec<[(usize, Move<'a>); 1]>;

#[inline]
fn changes<'a, T>(
    indices: &[Index<T>],
    key: &str,
    old: Option<&'a T>,
    new: Option<&'a T>,
) -> Result<Changes<'a>, Error> {
    let mut changes = SmallVec::new();
    for (number, index) in indices.iter().enumerate() {
        if let Some(change) = index.change(key, old, new)? {
            changes.push((number, change));
        }
    }
    Ok(changes)
}

#[inline]
fn apply<T>(indices: &mut [Index<T>], place: usize, changes: Changes<'_>) {
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
