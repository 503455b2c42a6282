//! Waiting: items whose time has not come. Upstream: the heap of `util/workqueue/delaying_queue.go`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::Hash;

use tokio::time::Instant;

use super::items::{Items, Slot};

/// A point in time, and a number that keeps apart what is due at the same one; a lower one was said earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(Instant, u64);

/// Items by the time at which they are due; those due at the same time in the order in which that was said.
///
/// An entry counts while its item has that very due; if the item was given an earlier one, it is left behind. The first
/// entry always counts.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// A heap for each second in which something is due, none of them empty: many small ones stay in the processor's
    /// cache where a large one would not.
    seconds: BTreeMap<u64, BinaryHeap<Reverse<(Due, Slot)>>>,
    /// From where the seconds are counted.
    origin: Option<Instant>,
    entries: usize,
    /// How many entries were left behind.
    left: usize,
    said: u64,
}

/// As many entries may be left behind, however few count; and more only if they are at most half of all.
const FEW: usize = 16;

impl Waiting {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// When the first item is due.
    #[inline]
    pub fn next(&self) -> Option<Instant> {
        self.peek().map(|(due, _)| due.0)
    }

    fn peek(&self) -> Option<(Due, Slot)> {
        let (_, heap) = self.seconds.first_key_value()?;
        heap.peek().map(|Reverse(first)| *first)
    }

    fn pop_entry(&mut self) -> Option<(Due, Slot)> {
        let mut first = self.seconds.first_entry()?;
        let Reverse(entry) = first.get_mut().pop()?;
        if first.get().is_empty() {
            first.remove();
        }
        self.entries -= 1;
        Some(entry)
    }

    /// Lets an item wait; if it waits already, until the earlier of the two times. Says whether it is now the first.
    pub fn insert<T: Eq + Hash>(&mut self, items: &mut Items<T>, slot: Slot, at: Instant) -> bool {
        let first = self.next().is_none_or(|first| at < first);
        let known = &mut items[slot].due;
        if known.is_some_and(|known| known.0 <= at) {
            return first;
        }
        self.left += usize::from(known.is_some());
        self.said += 1;
        let due = Due(at, self.said);
        *known = Some(due);
        let second = at.duration_since(*self.origin.get_or_insert(at)).as_secs();
        self.seconds.entry(second).or_default().push(Reverse((due, slot)));
        self.entries += 1;
        if self.left > FEW && self.left > self.entries / 2 {
            self.drop_left(items);
        }
        first
    }

    fn drop_left<T: Eq + Hash>(&mut self, items: &Items<T>) {
        self.seconds.retain(|_, heap| {
            heap.retain(|Reverse((due, slot))| items.due(*slot) == Some(*due));
            !heap.is_empty()
        });
        self.entries -= self.left;
        self.left = 0;
    }

    /// Takes out the first item whose time has come, with that time.
    pub fn pop<T: Eq + Hash>(&mut self, items: &mut Items<T>, now: Instant) -> Option<(Instant, Slot)> {
        if self.next()? > now {
            return None;
        }
        let (due, slot) = self.pop_entry()?;
        items[slot].due = None;
        while self.left > 0 && self.peek().is_some_and(|(due, slot)| items.due(slot) != Some(due)) {
            self.pop_entry();
            self.left -= 1;
        }
        Some((due.0, slot))
    }

    /// Lets nothing wait any more.
    pub fn clear<T: Eq + Hash>(&mut self, items: &mut Items<T>) {
        while let Some((due, slot)) = self.pop_entry() {
            if items.due(slot) == Some(due) {
                items[slot].due = None;
                items.forget(slot);
            }
        }
        self.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_left_behind_is_dropped_when_it_is_more_than_what_counts() {
        let (mut items, mut waiting) = (Items::default(), Waiting::default());
        let now = Instant::now();
        let slot = items.know("a");
        for earlier in 0..10_000 {
            waiting.insert(&mut items, slot, now + Duration::from_millis(20_000 - earlier));
            assert!(waiting.entries <= FEW + 2, "{} entries for one item", waiting.entries);
        }
        assert_eq!(waiting.next(), Some(now + Duration::from_millis(10_001)));
        assert_eq!(waiting.pop(&mut items, now + Duration::from_secs(30)).map(|(_, slot)| slot), Some(slot));
        assert!(waiting.is_empty() && waiting.seconds.is_empty());
    }

    #[test]
    fn times_before_the_first_one_said_come_first_all_the_same() {
        let (mut items, mut waiting) = (Items::default(), Waiting::default());
        let start = Instant::now();
        let at = [10_500, 3000, 10_900, 700, 12_000].map(|millis| start + Duration::from_millis(millis));
        for (item, at) in at.iter().enumerate() {
            let slot = items.know(item);
            waiting.insert(&mut items, slot, *at);
        }
        let mut sorted = at.to_vec();
        sorted.sort();
        let popped = std::iter::from_fn(|| waiting.pop(&mut items, start + Duration::from_secs(60)));
        assert_eq!(popped.map(|(at, _)| at).collect::<Vec<_>>(), sorted);
    }
}
