//! The slots of a queue in the picture. They are found by key, because a record may queue a hundred thousand changes,
//! and a search through the queue for each would take minutes.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::record::WaitingDelta;

/// One slot of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The key, empty for a change of many objects.
    pub key: String,
    /// The changes, oldest first.
    pub deltas: Vec<WaitingDelta>,
}

/// The slots, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// The slots by their numbers, in the order in which they were added.
    slots: BTreeMap<u64, Slot>,
    /// The numbers of each key's slots.
    by_key: BTreeMap<String, BTreeSet<u64>>,
    /// The number of the next slot.
    next: u64,
}

impl Slots {
    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if there are no slots.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Iterates over all slots.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Slot> {
        self.slots.values()
    }

    /// Iterates over the slots of a key.
    pub fn of(&self, key: &str) -> impl DoubleEndedIterator<Item = &Slot> {
        let numbers = self.by_key.get(key).into_iter().flatten();
        numbers.filter_map(|number| self.slots.get(number))
    }

    /// Returns the oldest slot of a key.
    pub(super) fn first_of(&mut self, key: &str) -> Option<&mut Slot> {
        self.slots.get_mut(self.by_key.get(key)?.first()?)
    }

    /// Adds a slot behind the others.
    pub(super) fn add(&mut self, slot: Slot) {
        self.by_key.entry(slot.key.clone()).or_default().insert(self.next);
        self.slots.insert(self.next, slot);
        self.next += 1;
    }

    /// Removes the slots of a key.
    pub(super) fn remove(&mut self, key: &str) {
        for number in self.by_key.remove(key).into_iter().flatten() {
            self.slots.remove(&number);
        }
    }

    /// Removes the oldest slot and returns it.
    pub(super) fn take_first(&mut self) -> Option<Slot> {
        let (number, slot) = self.slots.pop_first()?;
        if let Some(numbers) = self.by_key.get_mut(&slot.key) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.by_key.remove(&slot.key);
            }
        }
        Some(slot)
    }
}

impl IntoIterator for Slots {
    type Item = Slot;
    type IntoIter = std::collections::btree_map::IntoValues<u64, Slot>;

    fn into_iter(self) -> Self::IntoIter {
        self.slots.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(key: &str, delta: usize) -> Slot {
        Slot { key: key.to_owned(), deltas: vec![WaitingDelta::named(&delta.to_string())] }
    }

    #[test]
    fn random_operations_agree_with_a_search_through_a_list() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut slots, mut model) = (Slots::default(), Vec::<Slot>::new());
        for number in 0..20_000 {
            let key = ["a", "b", "c", "d", "e"][random.usize(..5)];
            match random.u8(..10) {
                0..5 => {
                    slots.add(slot(key, number));
                    model.push(slot(key, number));
                }
                5 => {
                    slots.remove(key);
                    model.retain(|slot| slot.key != key);
                }
                6..9 => {
                    let first = (!model.is_empty()).then(|| model.remove(0));
                    assert_eq!(slots.take_first(), first);
                }
                _ => assert_eq!(slots.first_of(key), model.iter_mut().find(|slot| slot.key == key)),
            }
            assert_eq!((slots.len(), slots.is_empty()), (model.len(), model.is_empty()));
            assert!(slots.iter().eq(&model));
            assert!(slots.of(key).eq(model.iter().filter(|slot| slot.key == key)));
        }
    }
}
