//! Delayed: the keys that will be added later. Each operation of the queue first adds those that are due. Upstream: the
//! heap of `util/workqueue/delaying_queue.go`.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::key_table::{Handle, KeyTable};

/// The time at which a key is due, and a sequence number that orders keys with the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(Instant, u64);

/// A key is in `by_due` exactly if its `KeyEntry::due` is set. That value is its key in the map. Keys with the same
/// time are in the order in which they were delayed.
#[derive(Debug, Default)]
pub(super) struct Delayed {
    by_due: BTreeMap<Due, Handle>,
    sequence: u64,
}

impl Delayed {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.by_due.is_empty()
    }

    #[inline]
    pub fn first(&self) -> Option<(Instant, Handle)> {
        self.by_due.first_key_value().map(|(due, handle)| (due.0, *handle))
    }

    /// Delays a key until `at`. If it is already delayed, the earlier time counts. Returns true if the key is now the
    /// first one due.
    pub fn insert<T>(&mut self, keys: &mut KeyTable<T>, handle: Handle, at: Instant) -> bool {
        let is_first = self.first().is_none_or(|(first, _)| at < first);
        let entry_due = &mut keys[handle].due;
        if let Some(earlier) = entry_due {
            if earlier.0 <= at {
                return false;
            }
            self.by_due.remove(earlier);
        }
        self.sequence += 1;
        let due = Due(at, self.sequence);
        self.by_due.insert(due, handle);
        *entry_due = Some(due);
        is_first
    }

    pub fn pop_first<T>(&mut self, keys: &mut KeyTable<T>) {
        if let Some((_, handle)) = self.by_due.pop_first() {
            keys[handle].due = None;
        }
    }

    /// Removes all delayed keys. Returns the keys that nothing else refers to.
    pub fn clear<T>(&mut self, keys: &mut KeyTable<T>) -> Vec<T> {
        let handles = std::mem::take(&mut self.by_due).into_values();
        handles
            .filter_map(|handle| {
                keys[handle].due = None;
                keys.remove_if_unused(handle)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn pop(delayed: &mut Delayed, keys: &mut KeyTable<&'static str>) -> Option<(Instant, &'static str)> {
        let (at, handle) = delayed.first()?;
        delayed.pop_first(keys);
        Some((at, keys[handle].key))
    }

    #[test]
    fn the_earliest_of_several_times_for_a_key_counts_and_the_rest_leave_no_entries() {
        let (mut keys, mut delayed) = (KeyTable::default(), Delayed::default());
        let now = Instant::now();
        let handle = keys.find_or_insert("a");
        for earlier in 0..1000 {
            assert!(delayed.insert(&mut keys, handle, now + Duration::from_millis(20_000 - earlier)));
            assert!(!delayed.insert(&mut keys, handle, now + Duration::from_millis(20_000)));
        }
        assert_eq!(pop(&mut delayed, &mut keys), Some((now + Duration::from_millis(19_001), "a")));
        assert!(delayed.is_empty());
    }

    #[test]
    fn keys_are_popped_by_time_and_keys_with_equal_times_in_the_order_of_insertion() {
        let (mut keys, mut delayed) = (KeyTable::default(), Delayed::default());
        let now = Instant::now();
        for (key, millis) in [("b", 20), ("c", 20), ("d", 30), ("a", 10), ("e", 30)] {
            let handle = keys.find_or_insert(key);
            delayed.insert(&mut keys, handle, now + Duration::from_millis(millis));
        }
        let popped = std::iter::from_fn(|| pop(&mut delayed, &mut keys)).map(|(_, key)| key);
        assert_eq!(popped.collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    }
}
