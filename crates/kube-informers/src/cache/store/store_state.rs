//! StoreState: the state behind a store's lock. A replacement of all objects first fills a new state, which then
//! becomes that of the store.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use triomphe::Arc as Shared; // checks for uniqueness by reading its count, where `std`'s `Arc` writes it

use super::content::Content;
use super::index_values::IndexValues;
use super::stored_index::StoredIndex;
use super::versions::{at_least, is_comparable};
use crate::cache::condvar::{HasWaiters, Waiters};
use crate::cache::key::Object;

/// The content that snapshots share, and everything that only writers and waiting tasks need.
pub(super) struct StoreState<T> {
    /// The content, shared with snapshots. A write to a shared content clones it first (copy on write).
    pub content: Shared<Content<T>>,
    /// The slot of each key's object.
    pub slots: HashMap<Arc<str>, usize, RandomState>,
    /// The empty slots below the highest used one.
    pub free: Vec<usize>,
    /// The resourceVersion of the last write, which need not be the highest.
    pub resource_version: String,
    /// The highest comparable resourceVersion since the last list; empty at first.
    pub seen: String,
    /// True if no writer is left.
    pub closed: bool,
    /// The tasks that wait for a resourceVersion.
    pub waiters: Waiters,
}

impl<T> HasWaiters for StoreState<T> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

impl<T> StoreState<T> {
    pub fn of(content: Content<T>) -> Self {
        Self {
            content: Shared::new(content),
            slots: HashMap::default(),
            free: Vec::new(),
            resource_version: String::new(),
            seen: String::new(),
            closed: false,
            waiters: Waiters::default(),
        }
    }

    /// Replaces the indices with new ones that have the names and functions of `like` and contain the stored objects.
    pub fn rebuild(&mut self, like: &[StoredIndex<T>]) {
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        *indices = like.iter().map(|index| index.rebuild(objects)).collect();
    }

    /// Records the resourceVersion of a write.
    #[inline]
    pub fn note(&mut self, version: &str) {
        note(&mut self.resource_version, &mut self.seen, version);
    }

    /// Returns the slot of this key, after assigning one if the key is new.
    fn slot_for(&mut self, key: &str) -> usize {
        if let Some(slot) = self.slots.get(key) {
            return *slot;
        }
        let content = Shared::make_mut(&mut self.content);
        let slot = self.free.pop().unwrap_or(content.len); // without free slots, exactly the first `len` slots are used
        let key: Arc<str> = key.into();
        content.keys.set(slot, Some(key.clone()));
        content.len += 1;
        self.slots.insert(key, slot);
        slot
    }

    /// Stores an object without recording its resourceVersion.
    pub fn fill(&mut self, key: &str, object: Arc<T>) {
        let slot = self.slot_for(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let changes = changes(indices, Some(slot), &object);
        apply(indices, slot, changes);
        objects.set(slot, Some(object));
    }
}

impl<T: Object> StoreState<T> {
    /// Stores an object and returns the object that it replaced.
    pub fn put(&mut self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
        let Some(&slot) = self.slots.get(key) else {
            self.insert(key, object);
            return None;
        };
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let version = object.meta().resource_version; // `meta` and index functions are user code and may panic, so they come first
        let changes = changes(indices, Some(slot), &object);
        apply(indices, slot, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        objects.set(slot, Some(object))
    }

    fn insert(&mut self, key: &str, object: Arc<T>) {
        let version = object.meta().resource_version;
        let changes = changes(&self.content.indices, None, &object);
        let slot = self.slot_for(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        apply(indices, slot, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        objects.set(slot, Some(object));
    }

    /// Removes the object with this key and returns it. Records the resourceVersion of `last`, the final state, in any
    /// case.
    pub fn delete(&mut self, key: &str, last: Option<&T>) -> Option<Arc<T>> {
        let version = last.map(|last| last.meta().resource_version);
        let mut old = None;
        if let Some(&slot) = self.slots.get(key) {
            let Content { objects, keys, indices, len } = Shared::make_mut(&mut self.content);
            indices.iter_mut().for_each(|index| index.clear(slot));
            old = objects.set(slot, None);
            keys.set(slot, None);
            *len -= 1;
            self.slots.remove(key);
            self.free.push(slot);
        }
        if let Some(version) = version {
            self.note(version);
        }
        old
    }
}

/// Records a resourceVersion as the last one, and also as the highest one if it is higher than `seen`.
#[inline]
fn note(last: &mut String, seen: &mut String, version: &str) {
    version.clone_into(last);
    if !at_least(seen, version) && is_comparable(version) {
        version.clone_into(seen);
    }
}

/// The numbers of the indices that change, with the new values in each.
type Changes<'a> = SmallVec<[(usize, IndexValues<'a>); 1]>;

/// Returns the changes of the indices when the object is stored in this slot; `None` stands for an empty slot. Calls
/// the users' index functions, which may panic, so it runs before the state of a store is changed.
#[inline]
fn changes<'a, T>(indices: &[StoredIndex<T>], slot: Option<usize>, object: &'a T) -> Changes<'a> {
    let numbered = indices.iter().enumerate();
    numbered.filter_map(|(number, index)| Some((number, index.change(slot, object)?))).collect()
}

/// Applies changes to the indices. The object is in this slot.
#[inline]
fn apply<T>(indices: &mut [StoredIndex<T>], slot: usize, changes: Changes<'_>) {
    if changes.is_empty() {
        return; // true for most updates, and faster than the empty loop
    }
    for (number, values) in changes {
        indices[number].set(slot, &values);
    }
}
