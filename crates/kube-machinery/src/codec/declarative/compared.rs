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
    /// Returns true if an update leaves the value unchanged. An absent list or map equals an empty one. Upstream:
    /// `equality.Semantic.DeepEqual`.
    pub(super) fn is_unchanged(&self) -> bool {
        let is_collection = matches!(self.kind, FieldType::List(_) | FieldType::Map(_));
        let was_unset = |old| is_collection && self.is_unset() && is_unset(self.kind, old);
        self.old.is_some_and(|old| old == self.new || was_unset(old))
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
