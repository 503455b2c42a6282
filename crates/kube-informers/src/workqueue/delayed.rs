//! Delayed: keys whose time has not come. Upstream: the heap of `util/workqueue/delaying_queue.go`.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::known::{Handle, KnownKeys};

/// A point in time, and a number that keeps apart what is due at the same one; a lower one was said earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(Instant, u64);

/// Keys by the time at which they are due; those due at the same time in the order in which that was said.
///
/// A key is in here exactly if it has a `due`, and then under that one.
#[derive(Debug, Default)]
pub(super) struct Delayed {
    keys: BTreeMap<Due, Handle>,
    said: u64,
}

impl Delayed {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The first key and its time.
    #[inline]
    pub fn first(&self) -> Option<(Instant, Handle)> {
        self.keys.first_key_value().map(|(due, handle)| (due.0, *handle))
    }

    /// Delays a key; if it is delayed already, until the earlier of the two times. Says whether the first time changed.
    pub fn insert<T>(&mut self, known: &mut KnownKeys<T>, handle: Handle, at: Instant) -> bool {
        let first = self.first().is_none_or(|(first, _)| at < first);
        let known_due = &mut known[handle].due;
        if let Some(earlier) = known_due {
            if earlier.0 <= at {
                return false;
            }
            self.keys.remove(earlier);
        }
        self.said += 1;
        let due = Due(at, self.said);
        self.keys.insert(due, handle);
        *known_due = Some(due);
        first
    }

    /// Takes out the first key.
    pub fn pop_first<T>(&mut self, known: &mut KnownKeys<T>) {
        if let Some((_, handle)) = self.keys.pop_first() {
            known[handle].due = None;
        }
    }

    /// Delays nothing any more; hands out the keys that are thereby forgotten.
    pub fn clear<T>(&mut self, known: &mut KnownKeys<T>) -> Vec<T> {
        let handles = std::mem::take(&mut self.keys).into_values();
        handles
            .filter_map(|handle| {
                known[handle].due = None;
                known.forget(handle)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pop(delayed: &mut Delayed, known: &mut KnownKeys<&'static str>) -> Option<(Instant, &'static str)> {
        let (at, handle) = delayed.first()?;
        delayed.pop_first(known);
        Some((at, known[handle].key))
    }

    #[test]
    fn of_several_times_for_a_key_the_earliest_stands_and_the_others_leave_nothing() {
        let (mut known, mut delayed) = (KnownKeys::default(), Delayed::default());
        let now = Instant::now();
        let handle = known.know("a");
        for earlier in 0..1000 {
            assert!(delayed.insert(&mut known, handle, now + Duration::from_millis(20_000 - earlier)));
            assert!(!delayed.insert(&mut known, handle, now + Duration::from_millis(20_000)));
        }
        assert_eq!(pop(&mut delayed, &mut known), Some((now + Duration::from_millis(19_001), "a")));
        assert!(delayed.is_empty());
    }

    #[test]
    fn keys_come_in_order_of_their_times_and_of_equal_ones_as_they_were_said() {
        let (mut known, mut delayed) = (KnownKeys::default(), Delayed::default());
        let now = Instant::now();
        for (key, millis) in [("b", 20), ("c", 20), ("d", 30), ("a", 10), ("e", 30)] {
            let handle = known.know(key);
            delayed.insert(&mut known, handle, now + Duration::from_millis(millis));
        }
        let popped = std::iter::from_fn(|| pop(&mut delayed, &mut known)).map(|(_, key)| key);
        assert_eq!(popped.collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    }
}
