//! Slots: a persistent array with empty slots. `imbl::Vector` is cloned in constant time too. But this array can have
//! empty slots, and an iterator over the slots of an index looks up each leaf of the array only once.

use std::array;
use std::ops::Range;

use triomphe::Arc;

use super::slot_set::{SlotSet, Words};

/// The number of slots in a leaf, equal to the number of bits in a word of [`SlotSet`].
const LEAF: usize = u64::BITS as usize;
/// The number of leaves in a branch.
const BRANCH: usize = 64;

type Leaf<V> = [Option<V>; LEAF];
type Branch<V> = [Option<Arc<Leaf<V>>>; BRANCH];

/// Values by slot, in a tree of three levels.
///
/// A clone shares all nodes with the original. The next write to a shared slot copies one leaf, one branch, and the
/// root, which has a pointer for every 4096 slots. Later writes to the same leaf copy nothing. A leaf whose values were
/// all removed stays.
#[derive(Debug)]
pub(crate) struct Slots<V>(Arc<Vec<Arc<Branch<V>>>>);

impl<V> Clone for Slots<V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<V> Default for Slots<V> {
    fn default() -> Self {
        Self(Arc::new(Vec::new()))
    }
}

impl<V> Slots<V> {
    #[inline]
    pub fn get(&self, slot: usize) -> Option<&V> {
        self.leaf(slot / LEAF)?[slot % LEAF].as_ref()
    }

    /// Returns the leaf with this number, counted over all branches.
    #[inline]
    fn leaf(&self, number: usize) -> Option<&Leaf<V>> {
        self.0.get(number / BRANCH)?[number % BRANCH].as_deref()
    }

    /// Returns the range of slots that may have values.
    pub fn range(&self) -> Range<usize> {
        0..self.0.len() * BRANCH * LEAF
    }

    /// Iterates over all values, in the order of their slots.
    pub fn iter(&self) -> Iter<'_, V> {
        Iter::new(self, Words::All(0..self.0.len() * BRANCH))
    }

    /// Iterates over the values at these slots, in the order of the slots.
    pub fn at<'a>(&'a self, set: &'a SlotSet) -> Iter<'a, V> {
        Iter::new(self, set.words())
    }
}

impl<V: Clone> Slots<V> {
    /// Sets the value of a slot, or empties the slot. Returns the old value.
    pub fn set(&mut self, slot: usize, value: Option<V>) -> Option<V> {
        std::mem::replace(self.slot_mut(slot), value)
    }

    /// Returns the content of a slot for reading and writing.
    #[inline]
    pub fn slot_mut(&mut self, slot: usize) -> &mut Option<V> {
        let branches = Arc::make_mut(&mut self.0);
        let (branch, leaf, offset) = (slot / LEAF / BRANCH, slot / LEAF % BRANCH, slot % LEAF);
        while branches.len() <= branch {
            branches.push(Arc::new(array::from_fn(|_| None)));
        }
        let leaves = Arc::make_mut(&mut branches[branch]);
        let leaf = leaves[leaf].get_or_insert_with(|| Arc::new(array::from_fn(|_| None)));
        &mut Arc::make_mut(leaf)[offset]
    }
}

/// An iterator over the values at some slots. It looks up each leaf once, not each slot.
pub(crate) struct Iter<'a, V> {
    slots: &'a Slots<V>,
    words: Words<'a>,
    leaf: Option<&'a Leaf<V>>,
    /// The remaining slots of the leaf, one bit each.
    word: u64,
}

impl<'a, V> Iter<'a, V> {
    fn new(slots: &'a Slots<V>, words: Words<'a>) -> Self {
        Self { slots, words, leaf: None, word: 0 }
    }
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = &'a V;

    #[inline]
    fn next(&mut self) -> Option<&'a V> {
        loop {
            while self.word != 0 {
                let offset = self.word.trailing_zeros() as usize;
                self.word &= self.word - 1;
                if let Some(value) = self.leaf.and_then(|leaf| leaf[offset].as_ref()) {
                    return Some(value);
                }
            }
            let (number, word) = self.words.next()?;
            self.leaf = self.slots.leaf(number);
            self.word = if self.leaf.is_some() { word } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_does_not_change_an_earlier_clone() {
        let mut slots = Slots::default();
        for slot in 0..10_000 {
            assert_eq!(slots.set(slot, Some(slot)), None);
        }
        let copy = slots.clone();
        assert_eq!(slots.set(4_097, Some(0)), Some(4_097));
        assert_eq!(slots.set(64, None), Some(64));
        assert_eq!(slots.get(4_097), Some(&0));
        assert_eq!(slots.iter().count(), 9_999);
        assert!(copy.iter().copied().eq(0..10_000));
    }

    #[test]
    fn iterating_over_some_slots_skips_the_rest() {
        let mut slots = Slots::default();
        let mut set = SlotSet::default();
        for slot in [9_000, 0, 63, 64, 5_000] {
            slots.set(slot, Some(slot));
            slots.set(slot + 1, Some(slot + 1));
            set.insert(slot);
        }
        assert!(slots.at(&set).copied().eq([0, 63, 64, 5_000, 9_000]));
    }
}
