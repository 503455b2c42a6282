//! Guarded: what a store's lock protects, and the changes of it.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use triomphe::Arc as Shared; // its count is only looked at, not written, to learn that nobody shares

use super::content::Content;
use super::stored_index::{Move, StoredIndex};
use super::versions::{at_least, is_comparable};
use crate::cache::key::Object;
use crate::cache::look::{Waited, Waiters};

/// All of a store.
pub(super) struct Guarded<T> {
    /// Shared with those who read it: a write then makes one of its own first.
    pub content: Shared<Content<T>>,
    /// Where each key's object is.
    pub places: HashMap<Arc<str>, usize, RandomState>,
    /// Places below the highest one that are empty.
    pub free: Vec<usize>,
    /// The version last written, not the highest one.
    pub resource_version: String,
    /// The highest comparable version since the last list; empty at first.
    pub seen: String,
    /// Is no writer left?
    pub closed: bool,
    /// Who waits for a version.
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

    /// Makes indices like these, of what is stored.
    pub fn rebuild(&mut self, like: &[StoredIndex<T>]) {
        let Content { objects, indices, .. } = Shared::make_mut(&mut self.content);
        *indices = like.iter().map(|index| index.rebuilt(objects)).collect();
    }

    /// Notes the version of what is written.
    #[inline]
    pub fn note(&mut self, version: &str) {
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

    /// Puts an object in place of the one with this key, if any. No version is noted.
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
    /// Puts an object in place of the one with this key, if any, and returns that one.
    pub fn put(&mut self, key: &str, object: Arc<T>) -> Option<Arc<T>> {
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
