//! Snapshot: what a reader of a store holds.

use std::sync::Arc;

use imbl::{OrdSet, Vector, ordset, vector};

/// One stored object and its key.
#[derive(Debug)]
pub(crate) struct Entry<T> {
    pub key: Arc<str>,
    pub object: Arc<T>,
}

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), object: self.object.clone() }
    }
}

/// The objects of a store, or those of one index value, as they were at one moment.
///
/// Taken in constant time: it shares structure with the store, which goes on without waiting for its readers. The order
/// is that in which the objects were first stored, with the places of deleted ones used again.
#[derive(Debug)]
pub struct Snapshot<T> {
    slots: Vector<Option<Entry<T>>>,
    chosen: Chosen,
    len: usize,
}

#[derive(Clone, Debug)]
enum Chosen {
    All,
    Slots(OrdSet<usize>),
}

impl<T> Snapshot<T> {
    pub(crate) fn all(slots: Vector<Option<Entry<T>>>, len: usize) -> Self {
        Self { slots, chosen: Chosen::All, len }
    }

    pub(crate) fn of(slots: Vector<Option<Entry<T>>>, chosen: OrdSet<usize>) -> Self {
        Self { slots, len: chosen.len(), chosen: Chosen::Slots(chosen) }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there no object?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The objects.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(match &self.chosen {
            Chosen::All => Places::All(self.slots.iter()),
            Chosen::Slots(chosen) => Places::Slots(chosen.iter(), &self.slots),
        })
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.iter().0.map(|entry| &entry.key)
    }
}

impl<'a, T> IntoIterator for &'a Snapshot<T> {
    type Item = &'a Arc<T>;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// The objects of a [`Snapshot`].
pub struct Iter<'a, T>(Places<'a, T>);

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a Arc<T>;

    fn next(&mut self) -> Option<&'a Arc<T>> {
        self.0.next().map(|entry| &entry.object)
    }
}

enum Places<'a, T> {
    All(vector::Iter<'a, Option<Entry<T>>, imbl::shared_ptr::DefaultSharedPtr>),
    Slots(ordset::Iter<'a, usize, imbl::shared_ptr::DefaultSharedPtr>, &'a Vector<Option<Entry<T>>>),
}

impl<'a, T> Iterator for Places<'a, T> {
    type Item = &'a Entry<T>;

    fn next(&mut self) -> Option<&'a Entry<T>> {
        match self {
            Self::All(slots) => slots.find_map(Option::as_ref),
            Self::Slots(chosen, slots) => chosen.find_map(|slot| slots.get(*slot)?.as_ref()),
        }
    }
}
