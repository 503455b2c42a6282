//! StoredIndex: the data of one index, a map from each value to the slots of the objects with that value. Upstream:
//! `storeIndex` in `tools/cache/thread_safe_store.go`.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use imbl::GenericHashMap;
use imbl::shared_ptr::DefaultSharedPtr;

use super::index::IndexFn;
use super::index_values::IndexValues;
use super::slot_set::SlotSet;
use super::slots::Slots;

/// The slots of the objects by value. A value without objects is removed, so no set is empty. A clone takes constant
/// time.
pub(crate) struct StoredIndex<T> {
    name: Arc<str>,
    function: IndexFn<T>,
    values: GenericHashMap<Arc<str>, SlotSet, RandomState, DefaultSharedPtr>,
}

/// A change of one object's values in an index: the values before and after.
pub(crate) struct ValueChange<'a> {
    old: IndexValues<'a>,
    new: IndexValues<'a>,
}

impl<T> StoredIndex<T> {
    pub fn new(name: &str, function: IndexFn<T>) -> Self {
        Self { name: name.into(), function, values: GenericHashMap::default() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the values of an object, whether or not it is stored.
    pub fn values_of<'a>(&self, object: &'a T) -> IndexValues<'a> {
        (self.function)(object)
    }

    /// Computes the change of values when `old` becomes `new`; `None` if the values are the same. Does not change the
    /// index.
    #[inline]
    pub fn change<'a>(&self, old: Option<&'a T>, new: Option<&'a T>) -> Option<ValueChange<'a>> {
        let values = |object: Option<&'a T>| object.map(|object| self.values_of(object)).unwrap_or_default();
        let (old, new) = (values(old), values(new));
        if old == new { None } else { Some(ValueChange { old, new }) }
    }

    pub fn apply(&mut self, slot: usize, ValueChange { old, new }: ValueChange<'_>) {
        for value in old.iter() {
            self.remove(value, slot);
        }
        for value in new.iter() {
            self.insert(value, slot);
        }
    }

    fn remove(&mut self, value: &str, slot: usize) {
        let Some(slots) = self.values.get_mut(value) else { return };
        slots.remove(slot);
        if slots.is_empty() {
            self.values.remove(value);
        }
    }

    fn insert(&mut self, value: &str, slot: usize) {
        match self.values.get_mut(value) {
            Some(slots) => slots.insert(slot),
            None => {
                self.values.insert(value.into(), SlotSet::One(slot));
            }
        }
    }

    pub fn new_empty(&self) -> Self {
        Self::new(&self.name, self.function.clone())
    }

    /// Makes an index with the same name and function over other objects.
    pub fn rebuild(&self, objects: &Slots<Arc<T>>) -> Self {
        let mut rebuilt = self.new_empty();
        for slot in objects.range() {
            if let Some(object) = objects.get(slot)
                && let Some(change) = rebuilt.change(None, Some(object))
            {
                rebuilt.apply(slot, change);
            }
        }
        rebuilt
    }

    pub fn slots(&self, value: &str) -> SlotSet {
        self.values.get(value).cloned().unwrap_or_default()
    }

    pub fn slots_of_any(&self, values: &IndexValues<'_>) -> SlotSet {
        let mut all = SlotSet::default();
        for value in values.iter() {
            if let Some(slots) = self.values.get(&**value) {
                all.extend(slots);
            }
        }
        all
    }

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
