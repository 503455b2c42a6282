//! SlotSet: a set of slots. A slot is the number of an object's place in [`Slots`](super::slots::Slots). An index has
//! one set for each index value, with the slots of the objects that have this value.
//!
//! The set is a bitmap that is cloned in constant time. The bitmaps of `roaring` or `fixedbitset` are copied as a
//! whole, but here a clone is made under the store's lock for each reader of an index, and for each write after a
//! snapshot.

use std::ops::Range;

use imbl::OrdMap;
use imbl::ordmap;
use imbl::shared_ptr::DefaultSharedPtr;

/// The number of slots in a word.
const WORD: usize = u64::BITS as usize;

/// A clone takes constant time. A set of one slot is stored without a map, because an index with many distinct values
/// has many such sets.
#[derive(Clone, Debug)]
pub(crate) enum SlotSet {
    One(usize),
    /// The words by their numbers, and the number of slots. No word is zero.
    Many(OrdMap<usize, u64>, usize),
}

impl Default for SlotSet {
    fn default() -> Self {
        Self::Many(OrdMap::new(), 0)
    }
}

impl SlotSet {
    pub fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(_, len) => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn insert(&mut self, slot: usize) {
        match self {
            Self::Many(_, 0) => *self = Self::One(slot),
            Self::One(first) if *first == slot => {}
            Self::One(first) => {
                let first = *first;
                *self = Self::default();
                self.add(first);
                self.add(slot);
            }
            Self::Many(..) => self.add(slot),
        }
    }

    /// Adds a slot to the map of words.
    fn add(&mut self, slot: usize) {
        let Self::Many(words, len) = self else { return };
        let bit = 1 << (slot % WORD);
        match words.get_mut(&(slot / WORD)) {
            Some(word) => {
                *len += usize::from(*word & bit == 0);
                *word |= bit;
            }
            None => {
                words.insert(slot / WORD, bit);
                *len += 1;
            }
        }
    }

    pub fn remove(&mut self, slot: usize) {
        match self {
            Self::One(only) if *only == slot => *self = Self::default(),
            Self::One(_) => {}
            Self::Many(words, len) => {
                let bit = 1 << (slot % WORD);
                let Some(word) = words.get_mut(&(slot / WORD)).filter(|word| **word & bit != 0) else { return };
                *word &= !bit;
                *len -= 1;
                if *word == 0 {
                    words.remove(&(slot / WORD));
                }
            }
        }
    }

    pub fn extend(&mut self, other: &Self) {
        for (number, mut word) in other.words() {
            while word != 0 {
                self.insert(number * WORD + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }

    /// Iterates over the words of the set, with their numbers, in ascending order.
    pub fn words(&self) -> Words<'_> {
        match self {
            Self::One(slot) => Words::One(Some(*slot)),
            Self::Many(words, _) => Words::Many(words.iter()),
        }
    }
}

/// An iterator over words of bits, with their numbers.
pub(crate) enum Words<'a> {
    /// All slots of a range of words.
    All(Range<usize>),
    /// The word of this slot; `None` after the word was returned.
    One(Option<usize>),
    /// The words of a map.
    Many(ordmap::Iter<'a, usize, u64, DefaultSharedPtr>),
}

impl Iterator for Words<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        match self {
            Self::All(numbers) => Some((numbers.next()?, u64::MAX)),
            Self::One(slot) => slot.take().map(|slot| (slot / WORD, 1 << (slot % WORD))),
            Self::Many(words) => words.next().map(|(number, word)| (*number, *word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all(slots: &SlotSet) -> Vec<usize> {
        let bits = |(number, word): (usize, u64)| {
            (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * WORD + bit)
        };
        slots.words().flat_map(bits).collect()
    }

    #[test]
    fn random_inserts_and_removes_agree_with_a_btree_set() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut slots, mut model) = (SlotSet::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let slot = random.usize(..200) * random.usize(1..3);
            if random.u8(..100) < 45 {
                slots.insert(slot);
                model.insert(slot);
            } else {
                slots.remove(slot);
                model.remove(&slot);
            }
            assert_eq!((slots.len(), slots.is_empty()), (model.len(), model.is_empty()));
            assert!(model.iter().copied().eq(all(&slots)));
        }
    }

    #[test]
    fn a_union_has_each_slot_once() {
        let set = |of: &[usize]| {
            let mut slots = SlotSet::default();
            of.iter().for_each(|slot| slots.insert(*slot));
            slots
        };
        let mut union = set(&[7]);
        union.extend(&set(&[1, 7, 500]));
        union.extend(&set(&[]));
        assert_eq!(all(&union), [1, 7, 500]);
        assert_eq!(union.len(), 3);
    }
}
