//! A list while a strategic merge patch merges it: finds the item that a change is for by the value of its merge key
//! (such as `name` of a container), and puts the items in order at the end.

use std::collections::{HashMap, HashSet};

use super::Order;
use crate::value::Value;

/// A list with an index of its items, so that the time of a change does not depend on the length of the list.
pub(super) struct KeyedList {
    /// The items; `None` if an item was removed.
    items: Vec<Option<Value>>,
    /// The positions of the objects, by the value of their merge key.
    places: HashMap<Value, Vec<usize>>,
    /// The positions of the items that are no objects. A list of primitives is a set.
    primitives: HashMap<Value, usize>,
    /// The number of items before the patch.
    before: usize,
    /// The positions of the patch's items, in the order of the patch.
    patched: Vec<usize>,
}

impl KeyedList {
    pub(super) fn new(items: Vec<Value>, key: &str) -> Self {
        let mut places: HashMap<Value, Vec<usize>> = HashMap::new();
        for (place, item) in items.iter().enumerate().filter(|(_, item)| item.is_object()) {
            places.entry(item[key].clone()).or_default().push(place);
        }
        let before = items.len();
        let mut items: Vec<Option<Value>> = items.into_iter().map(Some).collect();
        let mut primitives = HashMap::new();
        for (place, item) in items.iter_mut().enumerate() {
            match item.as_ref().filter(|item| !item.is_object()).cloned() {
                Some(primitive) if primitives.contains_key(&primitive) => *item = None, // upstream: `deduplicateScalars`
                Some(primitive) => drop(primitives.insert(primitive, place)),
                None => {}
            }
        }
        Self { items, places, primitives, before, patched: Vec::new() }
    }

    /// Adds an item that is no object, if the list lacks it.
    pub(super) fn add_primitive(&mut self, item: Value) {
        let end = self.items.len();
        let place = *self.primitives.entry(item.clone()).or_insert(end);
        if place == end {
            self.items.push(Some(item));
        }
        self.patched.push(place);
    }

    /// Removes all items with this value of the merge key.
    pub(super) fn remove(&mut self, value: &Value) {
        for place in self.places.remove(value).into_iter().flatten() {
            self.items[place] = None;
        }
    }

    /// Returns the first item with this value of the merge key, or adds one.
    pub(super) fn item(&mut self, value: Value) -> &mut Value {
        let end = self.items.len();
        let place = self.places.entry(value).or_insert_with(|| vec![end])[0];
        if place == end {
            self.items.push(None);
        }
        self.patched.push(place);
        self.items[place].get_or_insert_default()
    }

    /// Returns the items in this order.
    pub(super) fn into_items(mut self, order: Order) -> Vec<Value> {
        if order == Order::Directive {
            return self.items.into_iter().flatten().collect();
        }
        // Two sequences are merged, each in its own order: the patch's items, and the others. See [`Order::Patch`].
        let of_patch: HashSet<usize> = self.patched.iter().copied().collect();
        let mut others = (0..self.items.len()).filter(|place| !of_patch.contains(place)).peekable();
        let mut patched = std::mem::take(&mut self.patched).into_iter().peekable();
        let mut sorted = Vec::with_capacity(self.items.len());
        loop {
            let place = match (others.peek(), patched.peek()) {
                (Some(other), Some(place)) if *place < self.before && other < place => others.next(),
                (Some(_), None) => others.next(),
                _ => patched.next(),
            };
            let Some(place) = place else { return sorted };
            sorted.extend(self.items[place].take()); // `None` if it was removed, or if the patch has it twice
        }
    }
}
