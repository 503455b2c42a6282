//! Known: what a queue knows of each key, in one place.

use std::hash::{BuildHasher, Hash};
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use slab::Slab;

use super::delayed::Due;

/// Where a key is kept. It means that key until it is [forgotten](KnownKeys::forget), then perhaps another.
pub(super) type Handle = usize;

/// Who has a key, or is to have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// It is neither to be worked on nor being worked on.
    Idle,
    /// To be worked on, and queued (client-go: in the dirty set).
    Queued,
    /// A worker has it (in the processing set).
    Processing,
    /// A worker has it, and it was added meanwhile (in both).
    Again,
}

/// A key that is queued, delayed or being worked on.
#[derive(Debug)]
pub(super) struct Known<T> {
    pub key: T,
    hash: u64,
    pub stage: Stage,
    /// How often it is in line: once if it is queued, unless somebody was done with a key that nobody had.
    pub in_line: u32,
    /// When it comes in, if it is delayed.
    pub due: Option<Due>,
    /// Which hand-out of the queue gave it to the worker who has it, or had it last.
    pub handed_out: u64,
}

/// The keys that a queue knows, each kept once: whatever else refers to one does so by its handle.
#[derive(Debug)]
pub(super) struct KnownKeys<T> {
    known: Slab<Known<T>>,
    /// The handles of all that is known, by hash of the key.
    handles: HashTable<Handle>,
    hasher: RandomState,
}

impl<T> Default for KnownKeys<T> {
    fn default() -> Self {
        Self { known: Slab::new(), handles: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Eq + Hash> KnownKeys<T> {
    /// Where the key is kept.
    #[inline]
    pub fn find(&self, key: &T) -> Option<Handle> {
        self.handles.find(self.hasher.hash_one(key), |handle| self.known[*handle].key == *key).copied()
    }

    /// Where the key is kept, from now on if it was not: then it is idle.
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
    /// Forgets a key to which nothing refers any more, and hands it out.
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

    /// What is kept there, if anything is.
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
