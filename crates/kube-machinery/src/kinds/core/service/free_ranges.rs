//! A set of free numbers in a range, from which `allocation` takes cluster IPs (addresses as numbers) and node ports.
//! The range of cluster IPs has a million addresses, so the set is kept as a few subranges.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The free numbers of a range, kept as subranges. The time to take or return a number is logarithmic in the number of
/// subranges.
#[derive(Debug)]
pub(super) struct FreeRanges {
    all: RangeInclusive<u32>,
    /// The last number of each free subrange, by its first number. Invariant: no two subranges touch.
    free: BTreeMap<u32, u32>,
}

impl FreeRanges {
    pub(super) fn new(all: RangeInclusive<u32>) -> Self {
        Self { free: BTreeMap::from([(*all.start(), *all.end())]), all }
    }

    pub(super) fn is_free(&self, number: u32) -> bool {
        self.containing(number).is_some()
    }

    /// Yields the free numbers from `first` on, then those before it.
    pub(super) fn from(&self, first: u32) -> impl Iterator<Item = u32> {
        let after = self
            .free
            .iter()
            .filter(move |(_, end)| **end >= first)
            .flat_map(move |(start, end)| first.max(*start)..=*end);
        let before = self.free.range(..first).flat_map(move |(start, end)| *start..=(*end).min(first - 1));
        after.chain(before)
    }

    /// Takes a number. No effect if it is outside the range or already taken.
    pub(super) fn take(&mut self, number: u32) {
        let Some((start, end)) = self.containing(number) else { return };
        self.free.remove(&start);
        if start < number {
            self.free.insert(start, number - 1);
        }
        if number < end {
            self.free.insert(number + 1, end);
        }
    }

    /// Returns a number to the set. No effect if it is outside the range or already free.
    pub(super) fn free(&mut self, number: u32) {
        if !self.all.contains(&number) || self.is_free(number) {
            return;
        }
        let before = number.checked_sub(1).and_then(|number| self.containing(number));
        let after = number.checked_add(1).and_then(|number| self.containing(number));
        if let Some((start, _)) = after {
            self.free.remove(&start);
        }
        let start = before.map_or(number, |(start, _)| start);
        self.free.insert(start, after.map_or(number, |(_, end)| end));
    }

    /// Returns the free subrange that contains the number.
    fn containing(&self, number: u32) -> Option<(u32, u32)> {
        let (start, end) = self.free.range(..=number).next_back()?;
        (*end >= number).then_some((*start, *end))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_free_numbers_are_those_that_are_not_taken() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut ranges, mut free) = (FreeRanges::new(10..=60), (10..=60).collect::<BTreeSet<u32>>());
        for _ in 0..5_000 {
            let number = random.u32(5..66);
            if random.bool() {
                ranges.take(number);
                free.remove(&number);
            } else {
                ranges.free(number);
                free.extend(Some(number).filter(|number| (10..=60).contains(number)));
            }
            let first = random.u32(10..=60);
            let expected = free.range(first..).chain(free.range(..first));
            assert!(ranges.from(first).eq(expected.copied()));
            assert!((5..66).all(|number| ranges.is_free(number) == free.contains(&number)));
            assert!(ranges.free.iter().zip(ranges.free.iter().skip(1)).all(|((_, end), (start, _))| end + 1 < *start));
        }
    }
}
