//! Slots: values by place, copied in constant time.
//!
//! `imbl::Vector` is copied in constant time too, but has no empty places, and a walk cannot step through it leaf by leaf, as the
//! places of an index want it.

use std::array;
use std::ops::Range;

use triomphe::Arc;

use super::places::{Places, Words};

/// How many places a leaf has: as many as a word of [`Places`] has bits.
const LEAF: usize = u64::BITS as usize;
/// How many leaves a branch has.
const BRANCH: usize = 64;

type Leaf<V> = [Option<V>; LEAF];
type Branch<V> = [Option<Arc<Leaf<V>>>; BRANCH];

/// Values by place, in a tree of three levels.
///
/// A clone shares all nodes with the original. The next write to a shared place copies the nodes on the path to it: one leaf,
/// one branch, and the root, which has a pointer for each 4096 places. Later writes to the same leaf copy nothing. A leaf stays in the
/// tree when its values are gone.
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

    /// Where values may be.
    pub fn places(&self) -> Range<usize> {
        0..self.0.len() * BRANCH * LEAF
    }

    /// All values, in the order of their places.
    pub fn iter(&self) -> Iter<'_, V> {
        Iter::new(self, Words::All(0..self.0.len() * BRANCH))
    }

    /// The values at these places, in their order.
    pub fn at<'a>(&'a self, places: &'a Places) -> Iter<'a, V> {
        Iter::new(self, places.words())
    }
}

impl<V: Clone> Slots<V> {
    /// Puts a value into its place, or empties the place; returns what was there.
    pub fn set(&mut self, place: usize, value: Option<V>) -> Option<V> {
        std::mem::replace(self.slot(place), value)
    }

    /// The slot of a place, to look into and to write.
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

/// The values at some places: leaf by leaf, so that a walk looks up few.
pub(crate) struct Iter<'a, V> {
    slots: &'a Slots<V>,
    words: Words<'a>,
    leaf: Option<&'a Leaf<V>>,
    /// Which of the leaf's places are to come.
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
    fn a_copy_stays_as_it_was() {
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
    fn a_walk_over_some_places_leaves_the_others_out() {
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
