//! Snapshot: what a reader of a store holds.

use std::sync::Arc;

use triomphe::Arc as Shared;

use super::content::Content;
use super::places::Places;
use super::slots;

/// The objects of a store, or those of one index value, as they were at one moment.
///
/// Taken in constant time: it shares structure with the store, which goes on without waiting for its readers. So is a clone.
///
/// The order is that of places in the store. A list gives places in its own order; an object that comes later takes the place of
/// one that was deleted, or the next one. So the order is the same in every run, and says nothing about age.
///
/// While it is held, all objects that the store had at that moment stay in memory, not only the chosen ones: for longer than a look,
/// collect what is wanted.
pub struct Snapshot<T> {
    content: Shared<Content<T>>,
    chosen: Chosen,
}

#[derive(Clone)]
enum Chosen {
    All,
    Some(Places),
}

impl<T> Snapshot<T> {
    pub(crate) fn all(content: Shared<Content<T>>) -> Self {
        Self { content, chosen: Chosen::All }
    }

    pub(crate) fn of(content: Shared<Content<T>>, places: Places) -> Self {
        Self { content, chosen: Chosen::Some(places) }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        match &self.chosen {
            Chosen::All => self.content.len,
            Chosen::Some(places) => places.len(),
        }
    }

    /// Is there no object?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects.
    pub fn iter(&self) -> Iter<'_, T> {
        let objects = match &self.chosen {
            Chosen::All => self.content.objects.iter(),
            Chosen::Some(places) => self.content.objects.at(places),
        };
        Iter { objects, left: self.len() }
    }

    /// The keys, sorted.
    pub(crate) fn sorted_keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.keys().map(ToString::to_string).collect();
        keys.sort_unstable();
        keys
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        match &self.chosen {
            Chosen::All => self.content.keys.iter(),
            Chosen::Some(places) => self.content.keys.at(places),
        }
    }
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Self { content: self.content.clone(), chosen: self.chosen.clone() }
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

/// The objects of a [`Snapshot`].
pub struct Iter<'a, T> {
    objects: slots::Iter<'a, Arc<T>>,
    /// How many are to come.
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
