//! Items: what a queue knows of each item, in one place.

use std::hash::{BuildHasher, Hash};
use std::ops::{Index, IndexMut};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use slab::Slab;

use super::waiting::Due;

/// Where an item is known. It means that item until it is [forgotten](Items::forget), then perhaps another.
pub(super) type Slot = usize;

/// Who has an item, or is to have it.
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

/// An item that is in a queue's hands in any way.
#[derive(Debug)]
pub(super) struct Known<T> {
    pub item: T,
    hash: u64,
    pub stage: Stage,
    /// How often its slot is in line: once if it is queued, unless somebody was done with what nobody had.
    pub in_line: u32,
    /// When it comes in, if its time has not come.
    pub due: Option<Due>,
}

/// The items that a queue knows, each kept once: whatever else refers to one does so by its slot.
#[derive(Debug)]
pub(super) struct Items<T> {
    known: Slab<Known<T>>,
    /// The slots of all that is known, by hash of the item.
    slots: HashTable<Slot>,
    hasher: RandomState,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { known: Slab::new(), slots: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T: Eq + Hash> Items<T> {
    /// Where the item is known.
    #[inline]
    pub fn find(&self, item: &T) -> Option<Slot> {
        self.slots.find(self.hasher.hash_one(item), |slot| self.known[*slot].item == *item).copied()
    }

    /// Where the item is known, from now on if it was not: then it is idle.
    #[inline]
    pub fn know(&mut self, item: T) -> Slot {
        let Self { known, slots, hasher } = self;
        let hash = hasher.hash_one(&item);
        match slots.entry(hash, |slot| known[*slot].item == item, |slot| known[*slot].hash) {
            Entry::Occupied(slot) => *slot.get(),
            Entry::Vacant(place) => {
                let slot = known.insert(Known { item, hash, stage: Stage::Idle, in_line: 0, due: None });
                place.insert(slot);
                slot
            }
        }
    }

    /// Forgets what nothing refers to any more, and hands it out.
    #[inline]
    pub fn forget(&mut self, slot: Slot) -> Option<T> {
        let known = &self.known[slot];
        if known.stage != Stage::Idle || known.in_line > 0 || known.due.is_some() {
            return None;
        }
        if let Ok(place) = self.slots.find_entry(known.hash, |other| *other == slot) {
            place.remove();
        }
        Some(self.known.remove(slot).item)
    }

    /// When what is known there comes in, if anything is.
    pub fn due(&self, slot: Slot) -> Option<Due> {
        self.known.get(slot)?.due
    }
}

impl<T> Index<Slot> for Items<T> {
    type Output = Known<T>;

    #[inline]
    fn index(&self, slot: Slot) -> &Known<T> {
        &self.known[slot]
    }
}

impl<T> IndexMut<Slot> for Items<T> {
    #[inline]
    fn index_mut(&mut self, slot: Slot) -> &mut Known<T> {
        &mut self.known[slot]
    }
}
