//! KeyTable: stores each key of a queue once. The queue's other parts refer to a key by its handle. Only a user-defined
//! order has clones of the keys.

use std::hash::{BuildHasher, Hash};
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use slab::Slab;

use super::delayed::Due;

/// The index of a key in the table. Valid until the key is [removed](KeyTable::remove_if_unused), and may then be
/// reused.
pub(super) type Handle = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyState {
    /// Neither queued nor in progress. The key may be delayed.
    Idle,
    /// Queued (in client-go's dirty set).
    Queued,
    /// In progress: a worker has the key (in client-go's processing set).
    Processing,
    /// In progress, and added again meanwhile (in both of client-go's sets).
    Again,
}

/// A key that is queued, delayed or in progress.
#[derive(Debug)]
pub(super) struct KeyEntry<T> {
    pub key: T,
    hash: u64,
    pub state: KeyState,
    /// The number of times that the key is queued: 0 or 1, or more after a `done` for a queued key.
    pub times_queued: u32,
    /// The time at which the key will be added, if it is delayed.
    pub due: Option<Due>,
    /// The number of the `get` by which a worker last took the key.
    pub get_number: u64,
}

#[derive(Debug)]
pub(super) struct KeyTable<T> {
    entries: Slab<KeyEntry<T>>,
    /// The handles of all keys, indexed by the hashes of the keys.
    handles: HashTable<Handle>,
    hasher: RandomState,
}

impl<T> Default for KeyTable<T> {
    fn default() -> Self {
        Self { entries: Slab::new(), handles: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Eq + Hash> KeyTable<T> {
    #[inline]
    pub fn find(&self, key: &T) -> Option<Handle> {
        self.handles.find(self.hasher.hash_one(key), |handle| self.entries[*handle].key == *key).copied()
    }

    /// Returns the key's handle. A new key is inserted as idle.
    #[inline]
    pub fn find_or_insert(&mut self, key: T) -> Handle {
        let Self { entries, handles, hasher } = self;
        let hash = hasher.hash_one(&key);
        match handles.entry(hash, |handle| entries[*handle].key == key, |handle| entries[*handle].hash) {
            Entry::Occupied(handle) => *handle.get(),
            Entry::Vacant(vacant) => {
                let state = KeyState::Idle;
                let handle = entries.insert(KeyEntry { key, hash, state, times_queued: 0, due: None, get_number: 0 });
                vacant.insert(handle);
                handle
            }
        }
    }
}

impl<T> KeyTable<T> {
    /// Removes and returns a key, if it is neither queued, delayed nor in progress.
    #[inline]
    pub fn remove_if_unused(&mut self, handle: Handle) -> Option<T> {
        let entry = &self.entries[handle];
        if entry.state != KeyState::Idle || entry.times_queued > 0 || entry.due.is_some() {
            return None;
        }
        if let Ok(found) = self.handles.find_entry(entry.hash, |other| *other == handle) {
            found.remove();
        }
        Some(self.entries.remove(handle).key)
    }

    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&KeyEntry<T>> {
        self.entries.get(handle)
    }
}

impl<T> Index<Handle> for KeyTable<T> {
    type Output = KeyEntry<T>;

    #[inline]
    fn index(&self, handle: Handle) -> &KeyEntry<T> {
        &self.entries[handle]
    }
}

impl<T> IndexMut<Handle> for KeyTable<T> {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut KeyEntry<T> {
        &mut self.entries[handle]
    }
}
