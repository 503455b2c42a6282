//! Finds the path element that identifies an item of a list: its value in a set, its keys in a list with keys
//! (`[name=web]`). Server-side apply uses it to pair the items of two lists. Upstream: `listItemToPathElement` in
//! `typed/helpers.go`.

use super::super::fieldpath::PathElement;
use super::super::schema::{List, Relationship, Schema};
use crate::value::Value;

/// Returns the path element of an item.
///
/// # Errors
/// If the item cannot be identified.
pub(super) fn element_of(
    schema: &Schema,
    list: &List,
    relationship: Relationship,
    item: &Value,
) -> Result<PathElement, String> {
    match relationship {
        Relationship::Associative if list.keys.is_empty() => element_of_set(item),
        Relationship::Associative => element_by_keys(schema, list, item),
        _ => Err("invalid indexing of non-associative list".to_owned()),
    }
}

fn element_of_set(item: &Value) -> Result<PathElement, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".to_owned()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".to_owned()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".to_owned()),
        scalar => Ok(PathElement::Value(scalar.clone())),
    }
}

fn element_by_keys(schema: &Schema, list: &List, item: &Value) -> Result<PathElement, String> {
    let fields = match item {
        Value::Object(fields) => fields,
        Value::Null => return Err("associative list with keys may not have a null element".to_owned()),
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    };
    let mut keys = Vec::with_capacity(list.keys.len());
    for name in &list.keys {
        let value = match fields.get(name) {
            Some(value) => Some(value),
            None => default_of(schema, list, name)
                .map_err(|why| format!("couldn't find default value for {name}: {why}"))?,
        };
        // An item without this key differs from every item that has it.
        keys.extend(value.map(|value| (name.clone(), value.clone())));
    }
    if keys.is_empty() {
        let names: Vec<_> = list.keys.iter().map(|name| crate::conventions::quote::quote(name)).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values \
             for any key fields)",
            names.join(" ")
        ));
    }
    Ok(PathElement::key(keys))
}

/// Returns the value of a key that an item leaves out.
fn default_of<'s>(schema: &'s Schema, list: &'s List, field: &str) -> Result<Option<&'s Value>, &'static str> {
    let atom = schema.resolve(&list.element).ok_or("invalid elementType for list")?;
    let map = atom.map.ok_or("associative list may not have non-map types")?;
    Ok(map.fields.get(field).and_then(|field| field.default.as_ref()))
}
