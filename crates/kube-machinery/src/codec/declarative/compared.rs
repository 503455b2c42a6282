//! A value in the new state of an object, compared with the value in the old state.

use std::borrow::Cow;

use crate::codec::schema::{FieldType, zero};
use crate::value::Value;

/// A value in the new state, and what it replaces.
#[derive(Clone, Copy)]
pub(super) struct Compared<'a> {
    pub(super) kind: &'static FieldType,
    pub(super) new: &'a Value,
    /// `None` in a new object, and in a new part of an updated one.
    pub(super) old: Option<&'a Value>,
}

impl Compared<'_> {
    /// Returns true if an update leaves the value unchanged. An absent list or map equals an empty one.
    pub(super) fn is_unchanged(&self) -> bool {
        let is_collection = matches!(self.kind, FieldType::List(_) | FieldType::Map(_));
        let was_unset = |old| is_collection && self.is_unset() && is_unset(self.kind, old);
        self.old.is_some_and(|old| is_same(old, self.new) || was_unset(old))
    }

    /// Returns the new value; for an absent text or number Go's zero value.
    pub(super) fn value(&self) -> Cow<'_, Value> {
        match self.kind {
            FieldType::Text | FieldType::Integer(_) if self.new.is_null() => Cow::Owned(zero(self.kind)),
            _ => Cow::Borrowed(self.new),
        }
    }

    /// Returns true if the new state has no value: a pointer is null, a list is empty, or a value is Go's zero value.
    pub(super) fn is_unset(&self) -> bool {
        is_unset(self.kind, self.new)
    }
}

fn is_unset(kind: &FieldType, value: &Value) -> bool {
    match (kind, value) {
        (_, Value::Null) => true,
        (FieldType::Pointer(_) | FieldType::Struct(_), _) => false,
        (_, Value::String(text)) => text.is_empty(),
        (_, Value::Number(number)) => number.as_i64() == Some(0),
        (_, Value::Bool(value)) => !value,
        (_, Value::Array(items)) => items.is_empty(),
        (_, Value::Object(fields)) => fields.is_empty(),
    }
}

/// Returns true if the values are equal, where an absent list equals an empty one. Upstream: `equality.Semantic.DeepEqual`.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(ones), Value::Array(others)) => {
            ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| is_same(one, other))
        }
        (Value::Array(items), Value::Null) | (Value::Null, Value::Array(items)) => items.is_empty(),
        (Value::Object(ones), Value::Object(others)) => {
            ones.iter().all(|(key, value)| is_same(value, &other[key.as_str()]))
                && others.iter().all(|(key, value)| ones.contains_key(key) || is_same(&Value::Null, value))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;
    use crate::value::json;

    #[test]
    fn an_absent_list_equals_an_empty_one() {
        let stored = json!({"devices": {"config": [{"name": "a"}]}});
        assert!(is_same(&json!({"devices": {"config": [{"name": "a"}], "requests": []}}), &stored));
        assert!(is_same(&stored, &json!({"devices": {"config": [{"name": "a", "of": null}], "requests": []}})));
        assert!(!is_same(&stored, &json!({"devices": {"config": []}})));
        assert!(!is_same(&stored, &json!({"devices": {"config": [{"name": "a"}], "requests": [1]}})));
        assert!(!is_same(&json!({"a": {}}), &json!({})));
    }
}
