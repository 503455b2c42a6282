//! StoredIndex: the data of one index, a map from each value to the slots of the objects with that value. Upstream:
//! `storeIndex` in `tools/cache/thread_safe_store.go`.

use std::fmt;
use std::slice;
use std::sync::Arc;

use foldhash::fast::RandomState;
use imbl::GenericHashMap;
use imbl::shared_ptr::DefaultSharedPtr;
use smallvec::SmallVec;

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
    /// The values of each slot's object, as the function returned them when the object was stored. They are not
    /// computed again when the object leaves. If a function returned other values then, the slot would stay in an old
    /// set, and the slot's next object would be found by a value that it does not have.
    of_slot: Slots<SlotValues>,
}

/// The values of one slot, which share their text with the index. Most objects have one value, which needs no list.
#[derive(Clone)]
enum SlotValues {
    One(Arc<str>),
    Several(Arc<[Arc<str>]>),
}

impl SlotValues {
    fn of(mut values: SmallVec<[Arc<str>; 1]>) -> Option<Self> {
        match values.len() {
            0 | 1 => values.pop().map(Self::One),
            _ => Some(Self::Several(values.into_vec().into())),
        }
    }

    fn as_slice(&self) -> &[Arc<str>] {
        match self {
            Self::One(value) => slice::from_ref(value),
            Self::Several(values) => values,
        }
    }
}

impl<T> StoredIndex<T> {
    pub fn new(name: &str, function: IndexFn<T>) -> Self {
        Self { name: name.into(), function, values: GenericHashMap::default(), of_slot: Slots::default() }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the values of an object, whether or not it is stored.
    pub fn values_of<'a>(&self, object: &'a T) -> IndexValues<'a> {
        (self.function)(object)
    }

    /// Returns the values of a slot's object, as the function returned them when the object was stored.
    #[inline]
    pub fn of_slot(&self, slot: usize) -> &[Arc<str>] {
        self.of_slot.get(slot).map(SlotValues::as_slice).unwrap_or_default()
    }

    /// Returns the object's values, unless this slot has the same ones. Calls the user's function, and changes nothing.
    #[inline]
    pub fn change<'a>(&self, slot: Option<usize>, object: &'a T) -> Option<IndexValues<'a>> {
        let new = self.values_of(object);
        let old = slot.map(|slot| self.of_slot(slot)).unwrap_or_default();
        let is_same = old.len() == new.len() && old.iter().zip(&*new).all(|(old, new)| **old == **new);
        (!is_same).then_some(new)
    }

    /// Gives a slot these values, in place of those that it has.
    pub fn set(&mut self, slot: usize, values: &IndexValues<'_>) {
        self.clear(slot);
        let shared = values.iter().map(|value| self.insert(value, slot)).collect();
        if let Some(values) = SlotValues::of(shared) {
            self.of_slot.set(slot, Some(values));
        }
    }

    /// Removes all values of a slot.
    pub fn clear(&mut self, slot: usize) {
        if self.of_slot.get(slot).is_none() {
            return; // setting a slot may copy nodes of the tree
        }
        for value in self.of_slot.set(slot, None).iter().flat_map(SlotValues::as_slice) {
            self.remove(value, slot);
        }
    }

    fn remove(&mut self, value: &str, slot: usize) {
        let Some(slots) = self.values.get_mut(value) else { return };
        slots.remove(slot);
        if slots.is_empty() {
            self.values.remove(value);
        }
    }

    /// Adds a slot to the set of a value. Returns the value with the text that the index holds.
    fn insert(&mut self, value: &str, slot: usize) -> Arc<str> {
        if let Some((shared, slots)) = self.values.get_key_value_mut(value) {
            slots.insert(slot);
            return shared.clone();
        }
        let shared: Arc<str> = value.into();
        self.values.insert(shared.clone(), SlotSet::One(slot));
        shared
    }

    pub fn new_empty(&self) -> Self {
        Self::new(&self.name, self.function.clone())
    }

    /// Makes an index with the same name and function over other objects.
    pub fn rebuild(&self, objects: &Slots<Arc<T>>) -> Self {
        let mut rebuilt = self.new_empty();
        for slot in objects.range() {
            if let Some(object) = objects.get(slot)
                && let Some(values) = rebuilt.change(None, object)
            {
                rebuilt.set(slot, &values);
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
        let (name, function) = (self.name.clone(), self.function.clone());
        Self { name, function, values: self.values.clone(), of_slot: self.of_slot.clone() }
    }
}

impl<T> fmt::Debug for StoredIndex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredIndex").field("name", &self.name).field("values", &self.values).finish_non_exhaustive()
    }
}
