//! Items: the collection inside a DeltaFIFO. It holds keys in first-in order, each with its deltas, and finds a key in
//! constant time. client-go has a slice and a map for this, which store and hash each key twice.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::cache::delta::{Delta, Deltas};

/// Unique keys in first-in order, each with its deltas. A key is stored once and hashed once.
pub(super) struct Items<T> {
    queue: VecDeque<Item<T>>,
    /// The number of the item at the front. The items behind it have the following numbers.
    first: usize,
    /// The numbers of all items, indexed by the hashes of their keys.
    numbers: HashTable<usize>,
    hasher: RandomState,
}

struct Item<T> {
    hash: u64,
    key: String,
    deltas: Deltas<T>,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { queue: VecDeque::new(), first: 0, numbers: HashTable::new(), hasher: RandomState::default() }
    }
}

impl<T> Items<T> {
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&String, &Deltas<T>)> {
        self.queue.iter().map(|item| (&item.key, &item.deltas))
    }

    pub fn get(&self, key: &str) -> Option<&Deltas<T>> {
        let index = self.index(self.hasher.hash_one(key), key)?;
        Some(&self.queue[index].deltas)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Appends a delta to its key; a key that is not queued yet goes to the end. Returns the key if two deletions were
    /// merged.
    pub fn push(&mut self, key: String, delta: Delta<T>) -> Option<&str> {
        let hash = self.hasher.hash_one(key.as_str());
        if let Some(index) = self.index(hash, &key) {
            let Item { key, deltas, .. } = &mut self.queue[index];
            deltas.push(delta);
            return deltas.dedupe().then_some(key);
        }
        let Self { queue, first, numbers, .. } = self;
        numbers.insert_unique(hash, *first + queue.len(), |number| queue[number - *first].hash);
        queue.push_back(Item { hash, key, deltas: Deltas::one(delta) });
        None
    }

    pub fn pop(&mut self) -> Option<(String, Deltas<T>)> {
        let Item { hash, key, deltas } = self.queue.pop_front()?;
        let number = self.numbers.find_entry(hash, |number| *number == self.first);
        number.expect("every item's number is in the table").remove();
        self.first += 1;
        Some((key, deltas))
    }

    /// Returns the index of the key's item in `queue`.
    fn index(&self, hash: u64, key: &str) -> Option<usize> {
        let number = self.numbers.find(hash, |number| self.queue[number - self.first].key == key)?;
        Some(number - self.first)
    }
}
