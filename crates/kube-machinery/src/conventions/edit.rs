//! Helpers that edit objects as JSON values, above all for the defaults of kinds.

use crate::value::{Map, Value};

pub fn empty() -> Value {
    Value::Object(Map::new())
}

/// Sets a field that is absent. A null stays.
pub fn set_default(parent: &mut Value, field: &str, value: Value) {
    if parent.get(field).is_none() {
        object(parent).insert(field.into(), value);
    }
}

/// Returns the items of a list, or none if the field is not a list.
pub fn list<'a>(parent: &'a mut Value, field: &str) -> impl Iterator<Item = &'a mut Value> {
    parent.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Returns a field whose value is an object.
pub(crate) fn object_field<'a>(parent: &'a mut Value, field: &str) -> Option<&'a mut Value> {
    parent.get_mut(field).filter(|value| value.is_object())
}

/// Returns the fields of a value. A value that is not an object becomes an empty object first.
pub fn object(value: &mut Value) -> &mut Map {
    if !value.is_object() {
        *value = empty();
    }
    value.as_object_mut().expect("the value was made an object above")
}

/// Restores a field to its old value, or removes it if it was not there.
pub fn keep(old: &Value, new: &mut Value, field: &str) {
    match old.get(field) {
        Some(value) => object(new).insert(field.into(), value.clone()),
        None => object(new).remove(field),
    };
}
