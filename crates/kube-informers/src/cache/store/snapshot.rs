//! Snapshot: an immutable view of a store's objects at one moment. Every read of several objects returns one, so that
//! later writes do not change the objects that the reader sees.

use std::sync::Arc;

use triomphe::Arc as Shared;

use super::content::Content;
use super::slot_set::SlotSet;
use super::slots;

/// The objects of a store, or the objects with one index value, at one moment.
///
/// Taking or cloning a snapshot takes constant time, because it shares its structure with the store.
///
/// The objects come in the order of their slots. A list assigns slots in its own order; a later object reuses the slot
/// of a deleted one, or gets the next slot. So the order is the same in every run, but says nothing about age.
///
/// A snapshot keeps all objects of the store at that moment in memory, even if it selects only a few, so it should not
/// be kept long.
pub struct Snapshot<T> {
    content: Shared<Content<T>>,
    selection: Selection,
}

/// The objects of the content that a snapshot shows.
#[derive(Clone)]
enum Selection {
    All,
    /// The objects in these slots, which an index found.
    Some(SlotSet),
}

impl<T> Snapshot<T> {
    pub(crate) fn all(content: Shared<Content<T>>) -> Self {
        Self { content, selection: Selection::All }
    }

    pub(crate) fn of(content: Shared<Content<T>>, slots: SlotSet) -> Self {
        Self { content, selection: Selection::Some(slots) }
    }

    /// Returns the number of objects.
    pub fn len(&self) -> usize {
        match &self.selection {
            Selection::All => self.content.len,
            Selection::Some(slots) => slots.len(),
        }
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an iterator over the objects.
    pub fn iter(&self) -> Iter<'_, T> {
        let objects = match &self.selection {
            Selection::All => self.content.objects.iter(),
            Selection::Some(slots) => self.content.objects.at(slots),
        };
        Iter { objects, left: self.len() }
    }

    pub(crate) fn sorted_keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.keys().map(ToString::to_string).collect();
        keys.sort_unstable();
        keys
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        match &self.selection {
            Selection::All => self.content.keys.iter(),
            Selection::Some(slots) => self.content.keys.at(slots),
        }
    }
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), selection: self.selection.clone() }
    }
}

impl<T> std::fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.keys()).finish()
    }
}

impl<'a, T> IntoIterator for &'a Snapshot<T> {
    type Item = &'a Arc<T>;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

/// An iterator over the objects of a [`Snapshot`].
pub struct Iter<'a, T> {
    objects: slots::Iter<'a, Arc<T>>,
    /// The number of remaining objects.
    left: usize,
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a Arc<T>;

    #[inline]
    fn next(&mut self) -> Option<&'a Arc<T>> {
        let object = self.objects.next()?;
        self.left -= 1;
        Some(object)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

impl<T> std::fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Iter").field("left", &self.left).finish_non_exhaustive()
    }
}
