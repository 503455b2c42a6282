//! Guarded: the state behind a store's lock, and the operations that change it.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use triomphe::Arc as Shared; // checks for uniqueness by reading its count, where `std`'s `Arc` writes it

use super::content::Content;
use super::stored_index::{Move, StoredIndex};
use super::versions::{at_least, is_comparable};
use crate::cache::key::Object;
use crate::cache::look::{Waited, Waiters};

/// The whole state of a store.
pub(super) struct Guarded<T> {
    /// The content, shared with snapshots. A write to a shared content clones it first (copy on write).
    pub content: Shared<Content<T>>,
    /// The place of each key's object.
    pub places: HashMap<Arc<str>, usize, RandomState>,
    /// The empty places below the highest used one.
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

impl<T> Waited for Guarded<T> {
    fn waiters(&mut self) -> &mut Waiters {
        &mut self.waiters
    }
}

impl<T> Guarded<T> {
    pub fn of(content: Content<T>) -> Self {
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

    /// Replaces the indices with new ones that have the names and functions of `like` and contain the stored objects.
    pub fn rebuild(&mut self, like: &[StoredIndex<T>]) {
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        *indices = like.iter().map(|index| index.rebuilt(objects)).collect();
    }

    /// Records the resourceVersion of a write.
    #[inline]
    pub fn note(&mut self, version: &str) {
        note(&mut self.resource_version, &mut self.seen, version);
    }

    /// Returns the place of this key, after assigning one if the key is new.
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

    /// Stores an object without recording its resourceVersion.
    pub fn fill(&mut self, key: &str, object: Arc<T>) {
        let place = self.place_of(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let slot = objects.slot(place);
        let changes = changes(indices, slot.as_deref(), Some(&object));
        apply(indices, place, changes);
        *slot = Some(object);
    }
}

impl<T: Object> Guarded<T> {
    /// Stores an object and returns the object that it replaced.
    pub fn put(&mut self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
        let Some(&place) = self.places.get(key) else {
            self.insert(key, object);
            return None;
        };
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        let slot = objects.slot(place);
        let version = object.meta().resource_version; // `meta` and index functions are user code and may panic, so they come first
        let changes = changes(indices, slot.as_deref(), Some(&object));
        apply(indices, place, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        slot.replace(object)
    }

    /// Stores an object with a new key.
    fn insert(&mut self, key: &str, object: Arc<T>) {
        let version = object.meta().resource_version;
        let changes = changes(&self.content.indices, None, Some(&*object));
        let place = self.place_of(key);
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        apply(indices, place, changes);
        note(&mut self.resource_version, &mut self.seen, version);
        objects.set(place, Some(object));
    }

    /// Removes the object with this key and returns it. Records the resourceVersion of `last`, the final state, in any case.
    pub fn delete(&mut self, key: &str, last: Option<&T>) -> Option<Arc<T>> {
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

/// Records a resourceVersion as the last one, and as the highest seen if it is.
#[inline]
fn note(last: &mut String, seen: &mut String, version: &str) {
    version.clone_into(last);
    if !at_least(seen, version) && is_comparable(version) {
        version.clone_into(seen);
    }
}

/// The numbers of the indices that change, with the change of each.
type Changes<'a> = SmallVec<[(usize, Move<'a>); 1]>;

#[inline]
fn changes<'a, T>(indices: &[StoredIndex<T>], old: Option<&'a T>, new: Option<&'a T>) -> Changes<'a> {
    let numbered = indices.iter().enumerate();
    numbered.filter_map(|(number, index)| Some((number, index.change(old, new)?))).collect()
}

#[inline]
fn apply<T>(indices: &mut [StoredIndex<T>], place: usize, changes: Changes<'_>) {
    if changes.is_empty() {
        return; // true for most updates, and faster than the empty loop
    }
    for (number, change) in changes {
        indices[number].apply(place, change);
    }
}
