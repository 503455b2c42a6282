//! Ratcheting: values that an update does not change are not validated again, so that a stricter schema or a new CEL
//! rule does not block updates of existing objects. [`Ratchet`] tells if a value changed. [`MapList`] pairs the new
//! items of a list with the old ones that have the same keys (`x-kubernetes-list-map-keys`).
//!
//! Upstream: `pkg/apiserver/validation/ratcheting.go`, and apiserver's `pkg/cel/common/equality.go` and `maplist.go`.

use std::collections::HashMap;

use crate::codec::structural::Structural;
use crate::codec::structural::number::{Number, same};
use crate::value::{Map, Value};

/// Compares new values with old ones, and remembers the results: a comparison of an object compares its fields too,
/// which the walk over the object asks for again.
#[derive(Default)]
pub(in crate::codec::structural) struct Ratchet {
    /// The results by the address of the new value, which does not move during the walk.
    known: HashMap<usize, bool>,
}

impl Ratchet {
    /// Returns true if a value did not change. The order of a list with keys does not matter, and fields that the
    /// schema does not name count as changed. Upstream: `CachedDeepEqual`.
    pub(in crate::codec::structural) fn unchanged(&mut self, schema: &Structural, new: &Value, old: &Value) -> bool {
        match (new, old) {
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {}
            _ => return same(new, old),
        }
        let address = std::ptr::from_ref(new).addr();
        if let Some(known) = self.known.get(&address) {
            return *known;
        }
        let unchanged = match (new, old) {
            (Value::Array(new), Value::Array(old)) => self.same_items(schema, new, old),
            (Value::Object(new), Value::Object(old)) => self.same_fields(schema, new, old),
            _ => false,
        };
        self.known.insert(address, unchanged);
        unchanged
    }

    fn same_items(&mut self, schema: &Structural, new: &[Value], old: &[Value]) -> bool {
        if new.len() != old.len() {
            return false;
        }
        if schema.list_type.as_deref() != Some("map") {
            return new.iter().zip(old).all(|(new, old)| same(new, old));
        }
        // Without a usable schema of items or keys, only empty lists are equal.
        let (Some(items), Some(old)) = (&schema.items, MapList::of(schema, old)) else { return new.is_empty() };
        new.iter().all(|new| old.get(new).is_some_and(|old| self.unchanged(items, new, old)))
    }

    fn same_fields(&mut self, schema: &Structural, new: &Map, old: &Map) -> bool {
        new.len() == old.len()
            && new.iter().all(|(name, new)| match (schema.field(name), old.get(name)) {
                (Some(schema), Some(old)) => self.unchanged(schema, new, old),
                _ => false,
            })
    }
}

/// The items of a list of type `map`, by their keys. Upstream: `MapList`.
pub(in crate::codec::structural) struct MapList<'a> {
    keys: &'a [String],
    items: HashMap<Key<'a>, &'a Value>,
}

/// The key of an item: the value of its key field, or the values of several key fields as one text.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Bool(bool),
    Int(i64),
    /// The bits of a float.
    Float(u64),
    Text(&'a str),
    Several(String),
}

impl<'a> MapList<'a> {
    /// Indexes the items of a list; `None` if it is not a list with keys.
    pub(in crate::codec::structural) fn of(schema: &'a Structural, items: &'a [Value]) -> Option<Self> {
        let is_map = schema.kind == "array" && schema.list_type.as_deref() == Some("map");
        if !is_map || schema.list_map_keys.is_empty() {
            return None;
        }
        let mut list = Self { keys: &schema.list_map_keys, items: HashMap::with_capacity(items.len()) };
        for item in items {
            if let Some(key) = key(list.keys, item) {
                list.items.entry(key).or_insert(item);
            }
        }
        Some(list)
    }

    pub(in crate::codec::structural) fn get(&self, item: &Value) -> Option<&'a Value> {
        self.items.get(&key(self.keys, item)?).copied()
    }
}

/// Returns the key of an item; `None` if a part of it is missing, or is not a plain value.
fn key<'a>(keys: &[String], item: &'a Value) -> Option<Key<'a>> {
    let fields = item.as_object()?;
    if let [name] = keys {
        let value = fields.get(name)?;
        return match (value, Number::of(value)) {
            (_, Some(Number::Int(int))) => Some(Key::Int(int)),
            // Adding 0.0 turns -0.0 into 0.0, so that equal floats have equal bits.
            (_, Some(Number::Float(float))) => Some(Key::Float((float + 0.0).to_bits())),
            (Value::Bool(bool), _) => Some(Key::Bool(*bool)),
            (Value::String(text), _) => Some(Key::Text(text)),
            _ => None,
        };
    }
    let mut all = String::new();
    for name in keys {
        let value = fields.get(name)?;
        let text = match (value, Number::of(value)) {
            (_, Some(Number::Int(int))) => int.to_string(),
            (_, Some(Number::Float(float))) => format!("{float:.6}"), // Go's `%f`
            (Value::Bool(bool), _) => bool.to_string(),
            (Value::String(text), _) => format!("{text:?}"),
            _ => return None,
        };
        all.push('\0');
        all.push_str(&text);
    }
    Some(Key::Several(all))
}
