//! StoredIndex: the data of one index, a map from each value to the places of the objects with that value. Upstream:
//! `storeIndex` in `tools/cache/thread_safe_store.go`.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use imbl::GenericHashMap;
use imbl::shared_ptr::DefaultSharedPtr;

use super::index::IndexFn;
use super::index_values::IndexValues;
use super::places::Places;
use super::slots::Slots;

/// The places of the objects of one index, by value. A value without objects is removed, so no set is empty. A clone
/// takes constant time.
pub(crate) struct StoredIndex<T> {
    name: Arc<str>,
    function: IndexFn<T>,
    values: GenericHashMap<Arc<str>, Places, RandomState, DefaultSharedPtr>,
}

/// A change of one object's values in an index: the values before and after.
pub(crate) struct Move<'a> {
    from: IndexValues<'a>,
    to: IndexValues<'a>,
}

impl<T> StoredIndex<T> {
    pub fn new(name: &str, function: IndexFn<T>) -> Self {
        Self { name: name.into(), function, values: GenericHashMap::default() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn values_of<'a>(&self, object: &'a T) -> IndexValues<'a> {
        (self.function)(object)
    }

    /// Computes the change of values when `old` becomes `new`; `None` if the values are the same. Does not change the index.
    #[inline]
    pub fn change<'a>(&self, old: Option<&'a T>, new: Option<&'a T>) -> Option<Move<'a>> {
        let values = |object: Option<&'a T>| object.map(|object| self.values_of(object)).unwrap_or_default();
        let (from, to) = (values(old), values(new));
        if from == to { None } else { Some(Move { from, to }) }
    }

    pub fn apply(&mut self, place: usize, Move { from, to }: Move<'_>) {
        for value in from.iter() {
            self.remove(value, place);
        }
        for value in to.iter() {
            self.insert(value, place);
        }
    }

    fn remove(&mut self, value: &str, place: usize) {
        let Some(places) = self.values.get_mut(value) else { return };
        places.remove(place);
        if places.is_empty() {
            self.values.remove(value);
        }
    }

    fn insert(&mut self, value: &str, place: usize) {
        match self.values.get_mut(value) {
            Some(places) => places.insert(place),
            None => {
                self.values.insert(value.into(), Places::One(place));
            }
        }
    }

    /// Makes an empty index with the same name and function.
    pub fn emptied(&self) -> Self {
        Self::new(&self.name, self.function.clone())
    }

    /// Makes an index with the same name and function over other objects.
    pub fn rebuilt(&self, objects: &Slots<Arc<T>>) -> Self {
        let mut rebuilt = self.emptied();
        for place in objects.places() {
            if let Some(object) = objects.get(place)
                && let Some(change) = rebuilt.change(None, Some(object))
            {
                rebuilt.apply(place, change);
            }
        }
        rebuilt
    }

    pub fn places(&self, value: &str) -> Places {
        self.values.get(value).cloned().unwrap_or_default()
    }

    pub fn places_of(&self, values: &IndexValues<'_>) -> Places {
        let mut all = Places::default();
        for value in values.iter() {
            if let Some(places) = self.values.get(&**value) {
                all.extend(places);
            }
        }
        all
    }

    /// Returns the values of all objects, each once, sorted.
    pub fn values(&self) -> Vec<String> {
        let mut values: Vec<_> = self.values.keys().map(ToString::to_string).collect();
        values.sort_unstable();
        values
    }
}

impl<T> Clone for StoredIndex<T> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), function: self.function.clone(), values: self.values.clone() }
    }
}

impl<T> fmt::Debug for StoredIndex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredIndex").field("name", &self.name).field("values", &self.values).finish_non_exhaustive()
    }
}
