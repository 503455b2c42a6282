//! Checks and applies `$setElementOrder/…`, the directive of a strategic merge patch with the order of a list's items
//! after the patch. `kubectl apply` adds it for lists that are merged by key.

use std::collections::HashMap;

use super::{DIRECTIVE, Refusal};
use crate::codec::go_text::{GoMap, GoText, go_type};
use crate::codec::schema::{FieldType, Struct};
use crate::value::{Array, Value};

/// Refuses an order that does not fit the object's list (`current`) or the patch's list (`change`). Upstream:
/// `mergePatchIntoOriginal`.
pub(super) fn check(
    row: Option<&'static Struct>,
    name: &str,
    order: &Value,
    current: Option<&Value>,
    change: Option<&Value>,
) -> Result<(), Refusal> {
    let (order, current, change) = (list(order)?, current.map(list).transpose()?, change.map(list).transpose()?);
    let Some(row) = row else {
        return refused("merging an object in json but data type is not struct, instead is: map");
    };
    let Some(field) = row.field(name) else {
        return refused(format!("unable to find api field in struct {} for the json field {name:?}", row.name));
    };
    if !is_list(&field.kind) {
        return refused("expected slice or array type, but got: struct");
    }
    if let Some(change) = change {
        check_order_of_patch(change, order, field.merge_key)?;
    }
    if current.is_none() && change.is_none() {
        return Ok(()); // there is nothing to order
    }
    let (current, change) = (current.unwrap_or_default(), change.unwrap_or_default());
    if current.is_empty() && change.is_empty() {
        return refused("no elements in any of the given slices");
    }
    check_types(current, change)
}

/// Checks that the items of a list and of a patch are all of one type. Upstream: `sliceElementType`.
pub(super) fn check_types(current: &[Value], change: &[Value]) -> Result<(), Refusal> {
    let mut items = current.iter().chain(change);
    let first = items.next().map(type_name);
    if items.all(|item| Some(type_name(item)) == first) {
        return Ok(());
    }
    let (current, change) = (GoText(&current.into()).to_string(), GoText(&change.into()).to_string());
    refused(format!("list element types are not identical: [{current} {change}]"))
}

/// Checks that the items of the patch are in the wanted order. Upstream: `validatePatchWithSetOrderList`.
fn check_order_of_patch(change: &[Value], order: &[Value], key: &str) -> Result<(), Refusal> {
    if order.is_empty() || change.is_empty() {
        return Ok(());
    }
    let kept: Vec<&Value> = change.iter().filter(|item| item.get(DIRECTIVE).is_none()).collect();
    let mut kept = kept.into_iter().peekable();
    for wanted in order {
        let Some(item) = kept.peek() else { break };
        if identity(item, key)? == identity(wanted, key)? {
            kept.next();
        }
    }
    if kept.peek().is_none() {
        return Ok(());
    }
    let (change, order) = (GoText(&change.into()).to_string(), GoText(&order.into()).to_string());
    refused(format!("The order in patch list:\n{change}\n doesn't match $setElementOrder list:\n{order}\n"))
}

/// Returns the value that identifies an item: its merge key, or the whole item.
fn identity<'a>(item: &'a Value, key: &str) -> Result<&'a Value, Refusal> {
    if key.is_empty() {
        return Ok(item);
    }
    let Value::Object(fields) = item else {
        let found = type_name(item);
        return refused(format!("expected a map[string]interface {{}}, but received a {found}"));
    };
    fields
        .get(key)
        .map_or_else(|| refused(format!("map: {} does not contain declared merge key: {key}", GoMap(fields))), Ok)
}

fn list(value: &Value) -> Result<&[Value], Refusal> {
    match value {
        Value::Array(items) => Ok(items),
        other => refused(format!("expected a []interface {{}}, but received a {}", type_name(other))),
    }
}

fn is_list(kind: &FieldType) -> bool {
    match kind {
        FieldType::List(_) | FieldType::Bytes => true,
        FieldType::Pointer(inner) => is_list(inner),
        _ => false,
    }
}

/// Returns the name of a value's type, as `fmt` prints the result of `reflect.TypeOf`.
fn type_name(value: &Value) -> &'static str {
    if value.is_null() { "%!s(<nil>)" } else { go_type(value) }
}

fn refused<T>(why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Other(why.into()))
}

/// The positions of a list's items before the patch.
#[derive(Debug)]
pub struct Before(HashMap<Value, usize>);

impl Before {
    pub fn of(list: &[Value], key: &str) -> Self {
        Self(positions(list, key))
    }

    /// Returns true if both items were in the list, the first before the second.
    fn has_in_order(&self, first: &Value, second: &Value) -> bool {
        self.0.get(first).zip(self.0.get(second)).is_some_and(|(first, second)| first < second)
    }
}

/// Returns the first position of each merge key's value.
fn positions(items: &[Value], key: &str) -> HashMap<Value, usize> {
    let mut positions = HashMap::new();
    for (position, item) in items.iter().enumerate() {
        positions.entry(merge_key_value(item, key)).or_insert(position);
    }
    positions
}

/// Returns the value that identifies an item. Without a merge key, it is the item.
fn merge_key_value(item: &Value, key: &str) -> Value {
    if key.is_empty() { item.clone() } else { item[key].clone() }
}

/// Puts the items that `order` names into that order. Another item comes before a named one if it did so before the
/// patch. Upstream: `normalizeElementOrder`, `mergeSortedSlice`.
pub fn reorder(items: &mut Array, order: &[Value], before: &Before, key: &str) {
    let wanted = positions(order, key);
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for item in std::mem::take(items) {
        let identity = merge_key_value(&item, key);
        match wanted.get(&identity) {
            Some(position) => named.push((*position, identity, item)),
            None => others.push((identity, item)),
        }
    }
    named.sort_by_key(|(position, ..)| *position);
    let (mut named, mut others) = (named.into_iter().peekable(), others.into_iter().peekable());
    loop {
        let other_is_next = match (others.peek(), named.peek()) {
            (Some((other, _)), Some((_, named, _))) => before.has_in_order(other, named),
            (other, _) => other.is_some(),
        };
        let next =
            if other_is_next { others.next().map(|(_, item)| item) } else { named.next().map(|(.., item)| item) };
        let Some(item) = next else { return };
        items.push(item);
    }
}

#[cfg(test)]
mod tests {
    use crate::codec::strategic_merge::{Refusal, merge};
    use crate::value::json;

    /// Upstream: `mergeSortedSlice`.
    #[test]
    fn new_items_come_before_items_that_the_order_does_not_name() {
        for (before, change, order, after) in [
            (json!(["f"]), json!(["b"]), json!(["b", "a"]), json!(["b", "f"])),
            (json!(["f", "a"]), json!(["b"]), json!(["a", "b"]), json!(["f", "a", "b"])),
            (json!(["a", "f"]), json!(["b"]), json!(["b", "a"]), json!(["b", "a", "f"])),
            (json!(["a", "f", "b", "g"]), json!([]), json!(["b", "a"]), json!(["f", "b", "a", "g"])),
        ] {
            let mut pod = json!({"metadata": {"finalizers": before}});
            let patch = json!({"metadata": {"$setElementOrder/finalizers": order, "finalizers": change}});
            merge("Pod", &mut pod, patch.as_object().unwrap().clone()).unwrap();
            assert_eq!(pod["metadata"]["finalizers"], after, "{before} {change} {order}");
        }
    }

    /// Upstream: `mergePatchIntoOriginal`.
    #[test]
    fn an_order_that_fits_no_list_is_refused() {
        for (object, patch, why) in [
            (
                json!({}),
                json!({"$setElementOrder/x": []}),
                "unable to find api field in struct Pod for the json field \"x\"",
            ),
            (json!({}), json!({"$setElementOrder/spec": []}), "expected slice or array type, but got: struct"),
            (json!({}), json!({"metadata": {"$setElementOrder/finalizers": 5}}), ""),
            (
                json!({"metadata": {}}),
                json!({"metadata": {"$setElementOrder/finalizers": 5}}),
                "expected a []interface {}, but received a int64",
            ),
            (
                json!({"metadata": {}}),
                json!({"metadata": {"$setElementOrder/finalizers": ["a", "b"], "finalizers": ["b", "a"]}}),
                "The order in patch list:\n[b a]\n doesn't match $setElementOrder list:\n[a b]\n",
            ),
            (
                json!({"metadata": {}}),
                json!({"metadata": {"$setElementOrder/finalizers": ["a"], "finalizers": []}}),
                "no elements in any of the given slices",
            ),
            (
                json!({"spec": {"containers": [{"name": "a"}]}}),
                json!({"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{}]}}),
                "map: map[] does not contain declared merge key: name",
            ),
            (
                json!({"metadata": {"finalizers": ["a"]}}),
                json!({"metadata": {"finalizers": [{"$patch": "replace"}]}}),
                "list element types are not identical: [[a] [map[$patch:replace]]]",
            ),
            (
                json!({"metadata": {"labels": {}}}),
                json!({"metadata": {"labels": {"$setElementOrder/a": []}}}),
                "merging an object in json but data type is not struct, instead is: map",
            ),
        ] {
            let mut object = object;
            let merged = merge("Pod", &mut object, patch.as_object().unwrap().clone());
            let expected = if why.is_empty() { Ok(()) } else { Err(Refusal::Other(why.to_owned())) };
            assert_eq!(merged, expected, "{patch}");
        }
    }
}
