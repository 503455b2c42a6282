//! Helpers for defaulting.

use crate::value::{Map, Value};

pub fn empty() -> Value {
    Value::Object(Map::new())
}

/// Sets a field that has no value.
pub fn missing(parent: &mut Value, field: &str, value: Value) {
    if parent.get(field).is_none() {
        object(parent).insert(field.into(), value);
    }
}

/// The items of a list; none if the field is not a list.
pub fn list<'a>(parent: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    parent.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten()
}

/// A field whose value is an object.
pub(crate) fn part<'a>(parent: &'a mut Value, field: &str) -> Option<&'a mut Value> {
    parent.get_mut(field).filter(|value| value.is_object())
}

/// The fields of a value; a value that is not an object becomes an empty one.
pub fn object(value: &mut Value) -> &mut Map {
    if !value.is_object() {
        *value = empty();
    }
    value.as_object_mut().expect("it was just made an object")
}
