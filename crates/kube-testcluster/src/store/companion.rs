//! Changes of other objects that are stored together with a write, under the same lock, or not at all. A quota is
//! charged in this way, so that its usage never differs from the objects that exist.

use std::sync::Arc;

use super::object::{Draft, Opened};
use super::storage::Storage;
use super::{Store, StoreState};
use kube_machinery::value::Value;

/// The new state of an object that changes together with another one.
#[derive(Debug)]
pub(crate) struct Companion {
    /// The state that the new one was computed from.
    from: Arc<Opened>,
    new: Value,
    /// The encoded new state, made before the store is locked.
    draft: Draft,
}

impl Companion {
    pub(crate) fn new(from: Arc<Opened>, mut new: Value) -> Self {
        let draft = Draft::of_written(&from.resource, from.key.clone(), &mut new);
        Self { from, new, draft }
    }

    /// Returns true if another request has written or removed the object since it was read, so that its new state must
    /// be computed again.
    pub(crate) fn is_stale(&self, storage: &Storage) -> bool {
        storage.get(&self.from.resource, &self.from.key).is_none_or(|stored| stored.revision != self.from.revision)
    }
}

impl Store {
    /// Stores the companions of a write, none of which is stale.
    pub(super) fn put_companions(&self, state: &mut StoreState, companions: Vec<Companion>) {
        for Companion { new, draft, .. } in companions {
            self.put(state, draft, new);
        }
    }
}
