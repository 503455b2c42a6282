//! Slots: a persistent array. It maps places (numbers) to values, may have empty places, and is cloned in constant time.
//!
//! `imbl::Vector` is cloned in constant time too, but has no empty places, and cannot be iterated leaf by leaf, which
//! makes it fast to iterate the places of an index.

use std::array;
use std::ops::Range;

use triomphe::Arc;

use super::places::{Places, Words};

/// The number of places in a leaf, equal to the number of bits in a word of [`Places`].
const LEAF: usize = u64::BITS as usize;
/// The number of leaves in a branch.
const BRANCH: usize = 64;

type Leaf<V> = [Option<V>; LEAF];
type Branch<V> = [Option<Arc<Leaf<V>>>; BRANCH];

/// Values by place, in a tree of three levels.
///
/// A clone shares all nodes with the original. The next write to a shared place copies the nodes on the path to it: one
/// leaf, one branch, and the root, which has a pointer for every 4096 places. Later writes to the same leaf copy nothing.
/// A leaf whose values were all removed stays in the tree.
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
    pub fn get(&self, place: usize) -> Option<&V> {
        self.leaf(place / LEAF)?[place % LEAF].as_ref()
    }

    #[inline]
    fn leaf(&self, number: usize) -> Option<&Leaf<V>> {
        self.0.get(number / BRANCH)?[number % BRANCH].as_deref()
    }

    /// Returns the range of places that may have values.
    pub fn places(&self) -> Range<usize> {
        0..self.0.len() * BRANCH * LEAF
    }

    /// Iterates over all values, in the order of their places.
    pub fn iter(&self) -> Iter<'_, V> {
        Iter::new(self, Words::All(0..self.0.len() * BRANCH))
    }

    /// Iterates over the values at these places, in the order of the places.
    pub fn at<'a>(&'a self, places: &'a Places) -> Iter<'a, V> {
        Iter::new(self, places.words())
    }
}

impl<V: Clone> Slots<V> {
    /// Sets the value of a place, or empties the place. Returns the old value.
    pub fn set(&mut self, place: usize, value: Option<V>) -> Option<V> {
        std::mem::replace(self.slot(place), value)
    }

    /// Returns the slot of a place for reading and writing.
    #[inline]
    pub fn slot(&mut self, place: usize) -> &mut Option<V> {
        let branches = Arc::make_mut(&mut self.0);
        let (branch, leaf, place) = (place / LEAF / BRANCH, place / LEAF % BRANCH, place % LEAF);
        while branches.len() <= branch {
            branches.push(Arc::new(array::from_fn(|_| None)));
        }
        let leaves = Arc::make_mut(&mut branches[branch]);
        let leaf = leaves[leaf].get_or_insert_with(|| Arc::new(array::from_fn(|_| None)));
        &mut Arc::make_mut(leaf)[place]
    }
}

/// An iterator over the values at some places. It looks up each leaf once, not each place.
pub(crate) struct Iter<'a, V> {
    slots: &'a Slots<V>,
    words: Words<'a>,
    leaf: Option<&'a Leaf<V>>,
    /// The remaining places of the leaf, one bit each.
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
                let place = self.word.trailing_zeros() as usize;
                self.word &= self.word - 1;
                if let Some(value) = self.leaf.and_then(|leaf| leaf[place].as_ref()) {
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
        for place in 0..10_000 {
            assert_eq!(slots.set(place, Some(place)), None);
        }
        let copy = slots.clone();
        assert_eq!(slots.set(4_097, Some(0)), Some(4_097));
        assert_eq!(slots.set(64, None), Some(64));
        assert_eq!(slots.get(4_097), Some(&0));
        assert_eq!(slots.iter().count(), 9_999);
        assert!(copy.iter().copied().eq(0..10_000));
    }

    #[test]
    fn iterating_over_some_places_skips_the_rest() {
        let mut slots = Slots::default();
        let mut places = Places::default();
        for place in [9_000, 0, 63, 64, 5_000] {
            slots.set(place, Some(place));
            slots.set(place + 1, Some(place + 1));
            places.insert(place);
        }
        assert!(slots.at(&places).copied().eq([0, 63, 64, 5_000, 9_000]));
    }
}
