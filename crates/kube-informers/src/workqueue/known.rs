//! KnownKeys: a queue's table of all its keys, with the state of each key.

use std::hash::{BuildHasher, Hash};
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use slab::Slab;

use super::delayed::Due;

/// The index of a key in the table. It is valid until the key is [forgotten](KnownKeys::forget), and may then be reused
/// for another key.
pub(super) type Handle = usize;

/// The stage of a key in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
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
pub(super) struct Known<T> {
    pub key: T,
    hash: u64,
    pub stage: Stage,
    /// The number of times that the key is in the line: once if it is queued, more often only after a `done` for a queued
    /// key.
    pub in_line: u32,
    /// The time at which the key will be added, if it is delayed.
    pub due: Option<Due>,
    /// The number of the `get` by which a worker last took the key.
    pub handed_out: u64,
}

/// The table of all keys of a queue. Each key is stored once, and everything else refers to it by its handle.
#[derive(Debug)]
pub(super) struct KnownKeys<T> {
    known: Slab<Known<T>>,
    /// The handles of all keys, indexed by the hashes of the keys.
    handles: HashTable<Handle>,
    hasher: RandomState,
}

impl<T> Default for KnownKeys<T> {
    fn default() -> Self {
        Self { known: Slab::new(), handles: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Eq + Hash> KnownKeys<T> {
    /// Returns the key's handle, if the key is in the table.
    #[inline]
    pub fn find(&self, key: &T) -> Option<Handle> {
        self.handles.find(self.hasher.hash_one(key), |handle| self.known[*handle].key == *key).copied()
    }

    /// Returns the key's handle. A new key is inserted as idle.
    #[inline]
    pub fn know(&mut self, key: T) -> Handle {
        let Self { known, handles, hasher } = self;
        let hash = hasher.hash_one(&key);
        match handles.entry(hash, |handle| known[*handle].key == key, |handle| known[*handle].hash) {
            Entry::Occupied(handle) => *handle.get(),
            Entry::Vacant(place) => {
                let stage = Stage::Idle;
                let handle = known.insert(Known { key, hash, stage, in_line: 0, due: None, handed_out: 0 });
                place.insert(handle);
                handle
            }
        }
    }
}

impl<T> KnownKeys<T> {
    /// Removes and returns a key, if it is neither queued, delayed nor in progress.
    #[inline]
    pub fn forget(&mut self, handle: Handle) -> Option<T> {
        let known = &self.known[handle];
        if known.stage != Stage::Idle || known.in_line > 0 || known.due.is_some() {
            return None;
        }
        if let Ok(place) = self.handles.find_entry(known.hash, |other| *other == handle) {
            place.remove();
        }
        Some(self.known.remove(handle).key)
    }

    /// Returns the entry with this handle, if there is one.
    #[inline]
    pub fn get(&self, handle: Handle) -> Option<&Known<T>> {
        self.known.get(handle)
    }
}

impl<T> Index<Handle> for KnownKeys<T> {
    type Output = Known<T>;

    #[inline]
    fn index(&self, handle: Handle) -> &Known<T> {
        &self.known[handle]
    }
}

impl<T> IndexMut<Handle> for KnownKeys<T> {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut Known<T> {
        &mut self.known[handle]
    }
}
