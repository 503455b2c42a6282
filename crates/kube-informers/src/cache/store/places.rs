//! Places: a set of places in [`Slots`](super::slots::Slots).
//!
//! A bitmap of a crate (`roaring`, `fixedbitset`) is copied as a whole. This one is copied in constant time, under the store's lock,
//! for each reader of an index and for each snapshot before a write.

use std::ops::Range;

use imbl::OrdMap;
use imbl::ordmap;
use imbl::shared_ptr::DefaultSharedPtr;

/// How many places a word stands for.
const WORD: usize = u64::BITS as usize;

/// A set of places, a bit for each, copied in constant time. The many sets of one place that a fine index has are small.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    One(usize),
    /// No word is empty; the number of places is that of their bits.
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

    /// Adds all of another set.
    pub fn extend(&mut self, other: &Self) {
        for (number, mut word) in other.words() {
            while word != 0 {
                self.insert(number * WORD + word.trailing_zeros() as usize);
                word &= word - 1;
            }
        }
    }

    /// The set as words of bits, each with its number, ascending.
    pub fn words(&self) -> Words<'_> {
        match self {
            Self::One(place) => Words::One(Some(*place)),
            Self::Many(words, _) => Words::Many(words.iter()),
        }
    }
}

/// Words of bits with their numbers.
pub(crate) enum Words<'a> {
    /// Of every place of so many words.
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
    fn a_set_of_places_is_a_set() {
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
