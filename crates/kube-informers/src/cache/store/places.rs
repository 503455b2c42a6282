//! Places: a persistent bitmap, the set of places in [`Slots`](super::slots::Slots) that have one index value.
//!
//! The bitmaps of `roaring` or `fixedbitset` are copied as a whole. This one is cloned in constant time, because a clone
//! is made under the store's lock for each reader of an index, and for each write after a snapshot.

use std::ops::Range;

use imbl::OrdMap;
use imbl::ordmap;
use imbl::shared_ptr::DefaultSharedPtr;

/// The number of places in a word.
const WORD: usize = u64::BITS as usize;

/// A set of places, with one bit for each place. A clone takes constant time. A set of one place is stored without a map,
/// because an index with many distinct values has many such sets.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    One(usize),
    /// The words by their numbers, and the number of places. No word is zero.
    Many(OrdMap<usize, u64>, usize),
}

impl Default for Places {
    fn default() -> Self {
        Self::Many(OrdMap::new(), 0)
    }
}

impl Places {
    pub fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(_, len) => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn insert(&mut self, place: usize) {
        match self {
            Self::Many(_, 0) => *self = Self::One(place),
            Self::One(first) if *first == place => {}
            Self::One(first) => {
                let first = *first;
                *self = Self::default();
                self.add(first);
                self.add(place);
            }
            Self::Many(..) => self.add(place),
        }
    }

    fn add(&mut self, place: usize) {
        let Self::Many(words, len) = self else { return };
        let bit = 1 << (place % WORD);
        match words.get_mut(&(place / WORD)) {
            Some(word) => {
                *len += usize::from(*word & bit == 0);
                *word |= bit;
            }
            None => {
                words.insert(place / WORD, bit);
                *len += 1;
            }
        }
    }

    pub fn remove(&mut self, place: usize) {
        match self {
            Self::One(only) if *only == place => *self = Self::default(),
            Self::One(_) => {}
            Self::Many(words, len) => {
                let bit = 1 << (place % WORD);
                let Some(word) = words.get_mut(&(place / WORD)).filter(|word| **word & bit != 0) else { return };
                *word &= !bit;
                *len -= 1;
                if *word == 0 {
                    words.remove(&(place / WORD));
                }
            }
        }
    }

    /// Adds all places of another set.
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
            Self::One(place) => Words::One(Some(*place)),
            Self::Many(words, _) => Words::Many(words.iter()),
        }
    }
}

/// An iterator over words of bits, with their numbers.
pub(crate) enum Words<'a> {
    /// All places of a range of words.
    All(Range<usize>),
    One(Option<usize>),
    Many(ordmap::Iter<'a, usize, u64, DefaultSharedPtr>),
}

impl Iterator for Words<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        match self {
            Self::All(numbers) => Some((numbers.next()?, u64::MAX)),
            Self::One(place) => place.take().map(|place| (place / WORD, 1 << (place % WORD))),
            Self::Many(words) => words.next().map(|(number, word)| (*number, *word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all(places: &Places) -> Vec<usize> {
        let bits = |(number, word): (usize, u64)| {
            (0..WORD).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * WORD + bit)
        };
        places.words().flat_map(bits).collect()
    }

    #[test]
    fn random_inserts_and_removes_agree_with_a_btree_set() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut places, mut model) = (Places::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let place = random.usize(..200) * random.usize(1..3);
            if random.u8(..100) < 45 {
                places.insert(place);
                model.insert(place);
            } else {
                places.remove(place);
                model.remove(&place);
            }
            assert_eq!((places.len(), places.is_empty()), (model.len(), model.is_empty()));
            assert!(model.iter().copied().eq(all(&places)));
        }
    }

    #[test]
    fn a_union_has_each_place_once() {
        let set = |of: &[usize]| {
            let mut places = Places::default();
            of.iter().for_each(|place| places.insert(*place));
            places
        };
        let mut union = set(&[7]);
        union.extend(&set(&[1, 7, 500]));
        union.extend(&set(&[]));
        assert_eq!(all(&union), [1, 7, 500]);
        assert_eq!(union.len(), 3);
    }
}
