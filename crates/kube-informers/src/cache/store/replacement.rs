//! Replacement: a new content of a store, filled before it takes the place of the old one.

use std::sync::Arc;

use triomphe::Arc as Shared;

use super::content::Content;
use super::guarded::Guarded;
use super::stored_index::StoredIndex;

/// What a [`ThreadSafeStore`](crate::cache::ThreadSafeStore) is to hold next. It is filled without the store's lock, since that calls the
/// index functions of others, and takes a second for a million objects.
pub(crate) struct Replacement<T> {
    /// What the store holds as long as this is filled.
    old: Shared<Content<T>>,
    new: Guarded<T>,
}

/// What a store held before; drop it where nobody waits: perhaps nobody else has the objects.
#[must_use]
pub(crate) struct Replaced<T>(#[expect(dead_code, reason = "it is only dropped")] (Guarded<T>, Shared<Content<T>>));

impl<T> Replacement<T> {
    /// An empty one, with room for so many objects, in place of this content.
    pub fn of(old: Shared<Content<T>>, objects: usize) -> Self {
        let mut new = Guarded::of(Content::empty(old.indices.iter().map(StoredIndex::emptied).collect()));
        new.places.reserve(objects);
        Self { old, new }
    }

    /// Adds an object; of several with the same key the last stays.
    pub fn put(&mut self, key: &str, object: Arc<T>) {
        self.new.fill(key, object);
    }

    /// What is replaced.
    pub fn old(&self) -> &Content<T> {
        &self.old
    }

    pub fn has(&self, key: &str) -> bool {
        self.new.places.contains_key(key)
    }

    /// Takes the place of what `guarded` is, as of this version.
    pub(super) fn commit(mut self, guarded: &mut Guarded<T>, version: &str) -> Replaced<T> {
        if guarded.content.indices.len() != self.old.indices.len() {
            self.new.rebuild(&guarded.content.indices); // some were added meanwhile
        }
        self.new.note(version); // also if the store has seen later ones: a list is all that is known
        (self.new.waiters, self.new.closed) = (std::mem::take(&mut guarded.waiters), guarded.closed);
        Replaced((std::mem::replace(guarded, self.new), self.old))
    }
}
