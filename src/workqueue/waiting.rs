//! Waiting: items whose time has not come. Upstream: the heap of `util/workqueue/delaying_queue.go`.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

use foldhash::fast::RandomState;

/// A point in time, and a number that keeps apart what is due at the same one.
type Due = (Instant, u64);

/// Items by the time at which they are due; those due at the same time in the order in which that was said.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    /// Holds exactly the items of `dues`.
    heap: BTreeMap<Due, T>,
    dues: HashMap<T, Due, RandomState>,
    count: u64,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { heap: BTreeMap::new(), dues: HashMap::default(), count: 0 }
    }
}

impl<T: Clone + Eq + Hash> Waiting<T> {
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// When the first item is due.
    pub fn next(&self) -> Option<Instant> {
        self.heap.first_key_value().map(|(due, _)| due.0)
    }

    /// Lets an item wait; if it waits already, until the earlier of the two times. Says whether it is now the first.
    pub fn insert(&mut self, item: T, due: Instant) -> bool {
        let first = self.next().is_none_or(|first| due < first);
        self.count += 1;
        let due = (due, self.count);
        match self.dues.get_mut(&item) {
            Some(known) if known.0 <= due.0 => {}
            Some(known) => {
                self.heap.remove(known);
                *known = due;
                self.heap.insert(due, item);
            }
            None => {
                self.dues.insert(item.clone(), due);
                self.heap.insert(due, item);
            }
        }
        first
    }

    /// Takes out the first item whose time has come, with that time.
    pub fn pop(&mut self, now: Instant) -> Option<(Instant, T)> {
        let first = self.heap.first_entry()?;
        if first.key().0 > now {
            return None;
        }
        let ((due, _), item) = first.remove_entry();
        self.dues.remove(&item);
        Some((due, item))
    }

    pub fn clear(&mut self) {
        self.heap.clear();
        self.dues.clear();
    }
}
