//! Replacement: a store's new content. It is filled beside the old content and then replaces it in one step, so readers
//! see no mixture of two lists.

use std::sync::Arc;

use triomphe::Arc as Shared;

use super::content::Content;
use super::store_state::StoreState;
use super::stored_index::StoredIndex;

/// The new content of a store. It is filled without the store's lock, because filling calls the users' index functions
/// and takes a second for a million objects.
pub(crate) struct Replacement<T> {
    /// The content of the store while the replacement is filled.
    old: Shared<Content<T>>,
    new: StoreState<T>,
}

/// The old content of a store. Dropping it may free all its objects, so the caller must do that without a lock.
#[must_use]
pub(crate) struct Replaced<T>(#[expect(dead_code, reason = "it is only dropped")] (StoreState<T>, Shared<Content<T>>));

impl<T> Replacement<T> {
    /// Makes an empty replacement for this content, with room for `objects` objects.
    pub fn of(old: Shared<Content<T>>, objects: usize) -> Self {
        let mut new = StoreState::of(Content::empty(old.indices.iter().map(StoredIndex::new_empty).collect()));
        new.slots.reserve(objects);
        Self { old, new }
    }

    /// Adds an object. If several have the same key, the last is kept.
    pub fn put(&mut self, key: &str, object: Arc<T>) {
        self.new.fill(key, object);
    }

    pub fn old(&self) -> &Content<T> {
        &self.old
    }

    pub fn has(&self, key: &str) -> bool {
        self.new.slots.contains_key(key)
    }

    /// Replaces `state` with the new content. `version` is the resourceVersion of the list that the content came from.
    pub(super) fn commit(mut self, state: &mut StoreState<T>, version: &str) -> Replaced<T> {
        if state.content.indices.len() != self.old.indices.len() {
            self.new.rebuild(&state.content.indices); // indices were added meanwhile
        }
        // A list replaces everything, so its resourceVersion counts even if the store has seen a later one.
        self.new.note(version);
        (self.new.waiters, self.new.closed) = (std::mem::take(&mut state.waiters), state.closed);
        Replaced((std::mem::replace(state, self.new), self.old))
    }
}
