//! Removes a set of fields from a value. Server-side apply removes the fields that a manager's last configuration had
//! and its new one lacks. Upstream: `typed/remove.go`.

use super::super::fieldpath::{PathElement, Set};
use super::super::schema::{Handled, Relationship, Schema, TypeRef};
use super::Type;
use super::items::element_of;
use crate::value::{Map, Value};

pub(super) fn remove(of: &Type, value: &Value, removed: &Set) -> Value {
    without(&of.schema, &of.reference, value, removed)
}

/// Returns the value without these fields. A list or map that loses all items becomes null. An atomic or empty one
/// becomes null too, even if nothing in it is removed: upstream's `doList` and `doMap` return nothing for it.
fn without(schema: &Schema, of: &TypeRef, value: &Value, removed: &Set) -> Value {
    let handled = schema.resolve(of).and_then(|atom| atom.deduced(Some(value)).handled());
    match (handled, value) {
        (Some(Handled::Scalar(_)), scalar) => scalar.clone(),
        (Some(Handled::List(list, relationship)), Value::Array(items)) if relationship != Relationship::Atomic => {
            let mut remaining = Vec::with_capacity(items.len());
            for item in items {
                let element = element_of(schema, list, relationship, item).ok();
                // An item that cannot be identified has no path, so it stays.
                let kept = element
                    .map_or_else(|| Some(item.clone()), |element| kept(schema, &list.element, item, &element, removed));
                remaining.extend(kept);
            }
            if remaining.is_empty() { Value::Null } else { Value::Array(remaining.into()) }
        }
        (Some(Handled::Map(map, relationship)), Value::Object(fields)) if relationship != Relationship::Atomic => {
            let remaining = fields.iter().filter_map(|(name, value)| {
                let element = PathElement::FieldName(name.clone().into());
                kept(schema, map.type_of(name), value, &element, removed).map(|value| (name.clone(), value))
            });
            let remaining: Map = remaining.collect();
            if remaining.is_empty() { Value::Null } else { Value::Object(remaining) }
        }
        _ => Value::Null,
    }
}

/// Returns a field or an item after the removals inside of it, or `None` if it is removed itself.
fn kept(schema: &Schema, of: &TypeRef, value: &Value, element: &PathElement, removed: &Set) -> Option<Value> {
    if removed.has(std::slice::from_ref(element)) {
        return None;
    }
    Some(match removed.below(element) {
        Some(removed) => without(schema, of, value, removed),
        None => value.clone(),
    })
}
