//! Checks that the lists of a custom resource have no duplicates if their `x-kubernetes-list-type` is `set` (equal
//! items) or `map` (items with equal keys): server-side apply could not tell such items apart. Upstream:
//! apiextensions-apiserver's `pkg/apiserver/schema/listtype/validation.go`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use super::Structural;
use super::number::Number;
use super::print_value::print_value;
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::value::{Map, Value};

/// Returns a cause for each duplicate. The caller ignores duplicates in an update if the old object has some too.
pub(crate) fn validate(schema: &Structural, object: &Value, at: &str) -> Causes {
    let mut causes = Causes::new();
    if let Value::Object(fields) = object {
        in_fields(schema, fields, &Path::Root(at), &mut causes);
    }
    causes
}

fn in_fields(schema: &Structural, fields: &Map, at: &Path<'_>, to: &mut Causes) {
    for (name, value) in fields.iter().filter(|(_, value)| value.is_array() || value.is_object()) {
        if let Some(schema) = schema.additional() {
            in_value(schema, value, &at.key(name), to);
        }
        if let Some(schema) = schema.properties.get(name.as_str()) {
            in_value(schema, value, &at.child(name), to);
        }
    }
}

fn in_value(schema: &Structural, value: &Value, at: &Path<'_>, to: &mut Causes) {
    match value {
        Value::Object(fields) => in_fields(schema, fields, at, to),
        Value::Array(items) => {
            match schema.list_type.as_deref() {
                Some("set") => in_set(items, at, to),
                Some("map") => in_map(schema, items, at, to),
                _ => {}
            }
            let Some(schema) = &schema.items else { return };
            for (i, item) in items.iter().enumerate().filter(|(_, item)| item.is_array() || item.is_object()) {
                in_value(schema, item, &at.index(i), to);
            }
        }
        _ => {}
    }
}

fn in_set(items: &[Value], at: &Path<'_>, to: &mut Causes) {
    for i in repeated(items.iter().map(Item::of)) {
        to.add(&at.index(i), |at| Cause::duplicate_as(at, &print_value(&items[i])));
    }
}

fn in_map(schema: &Structural, items: &[Value], at: &Path<'_>, to: &mut Causes) {
    if let Some((i, item)) = items.iter().enumerate().find(|(_, item)| !item.is_null() && !item.is_object()) {
        let detail = "must be an object for an array of list-type map";
        return to.push(Cause::invalid_as(at.index(i), &print_value(item), detail));
    }
    let keys = &schema.list_map_keys;
    // The keys of an item, as an object.
    let keys_of =
        |item: &Value| Value::from_iter(keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone()))));
    let repeated = match &keys[..] {
        [key] => repeated(items.iter().map(|item| item.get(key).map(Item::of))),
        _ => repeated(items.iter().map(|item| go_json(&keys_of(item)))),
    };
    for i in repeated {
        to.add(&at.index(i), |at| Cause::duplicate_as(at, &print_value(&keys_of(&items[i]))));
    }
}

/// Returns the index of the second occurrence of each value that is repeated. Upstream reports each such value once.
fn repeated<T: Eq + Hash>(all: impl Iterator<Item = T>) -> Vec<usize> {
    let (mut times, mut repeated) = (HashMap::new(), Vec::new());
    for (i, one) in all.enumerate() {
        match times.entry(one) {
            Entry::Vacant(entry) => {
                entry.insert(1_usize);
            }
            Entry::Occupied(mut entry) => {
                if *entry.get() == 1 {
                    repeated.push(i);
                }
                *entry.get_mut() += 1;
            }
        }
    }
    repeated
}

/// A list item in a form that can be compared and hashed. Objects and lists are compared as JSON, in which `1.0` is
/// `1`.
#[derive(PartialEq, Eq, Hash)]
enum Item<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// The bits of a float.
    Float(u64),
    Text(&'a str),
    Compound(String),
}

impl<'a> Item<'a> {
    fn of(value: &'a Value) -> Self {
        match (value, Number::of(value)) {
            (_, Some(Number::Int(int))) => Self::Int(int),
            // Adding 0.0 turns -0.0 into 0.0, so that equal floats have equal bits.
            (_, Some(Number::Float(float))) => Self::Float((float + 0.0).to_bits()),
            (Value::Bool(bool), _) => Self::Bool(*bool),
            (Value::String(text), _) => Self::Text(text),
            (Value::Array(_) | Value::Object(_), _) => Self::Compound(go_json(value)),
            _ => Self::Null,
        }
    }
}
