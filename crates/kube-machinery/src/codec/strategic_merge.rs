//! Applies strategic merge patches, `kubectl patch`'s default: merge patches that merge some lists item by item. The
//! table of Go types has the strategy of each list (`patchStrategy`), and the key of its items (`patchMergeKey`). A
//! patch can contain directives: fields that begin with `$`, which delete, replace or order items.
//!
//! Upstream: `k8s.io/apimachinery/pkg/util/strategicpatch`.

use std::collections::{HashMap, HashSet};

use self::element_order::Before;
use self::keyed_list::KeyedList;
use super::go_text::GoMap;
use super::schema::{self, Field, FieldType, Struct};
use crate::value::{Array, Map, SmolStr, Value};

/// The directive for the surrounding object: `replace` or `delete`.
const DIRECTIVE: &str = "$patch";
/// The directive that lists the fields of the object to keep: all others are removed.
const RETAIN: &str = "$retainKeys";
const BAD_RETAIN: &str = "invalid patch format of retainKeys";
/// The prefix of the directive that sets the order of the items in a list.
const ORDER: &str = "$setElementOrder/";
/// The prefix of the directive that removes items from a list of primitives.
const REMOVE: &str = "$deleteFromPrimitiveList/";

#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An error that upstream ascribes to the request: the answer is 400.
    BadFormat(String),
    /// An error that upstream does not classify, even if the patch is wrong: the answer is 500.
    Other(String),
}

/// Applies a patch to an object of this kind.
///
/// # Errors
/// If a directive is invalid, or an item of a list that is merged by key has no key.
pub fn merge(kind: &str, object: &mut Value, patch: Map) -> Result<(), Refusal> {
    merge_object(Some(schema::find(kind)), object, patch)
}

/// Merges a patch into an object: applies the directives of the object itself, then those that remove items of its
/// lists, then the fields, and last the order of lists. `row` is the object's struct in the table of Go types; `None`
/// in a map.
fn merge_object(row: Option<&'static Struct>, target: &mut Value, mut patch: Map) -> Result<(), Refusal> {
    match patch.get(DIRECTIVE).map(|directive| directive.as_str().unwrap_or_default()) {
        None => {}
        Some("replace") => {
            patch.remove(DIRECTIVE);
            *target = patch.into();
            return Ok(());
        }
        Some("delete") => {
            *target = Map::new().into();
            return Ok(());
        }
        Some(other) => {
            return Err(Refusal::Other(format!("unknown patch type: {other} in map: {}", GoMap(&patch))));
        }
    }
    if !target.is_object() {
        *target = Map::new().into();
    }
    let Some(fields) = target.as_object_mut() else { return Ok(()) };
    if let Some(keys) = patch.remove(RETAIN) {
        let Value::Array(keys) = keys else {
            return Err(Refusal::BadFormat(BAD_RETAIN.into()));
        };
        let keys: HashSet<&str> = keys.iter().filter_map(Value::as_str).collect();
        let is_kept =
            |name: &SmolStr| keys.contains(name.as_str()) || name.starts_with(ORDER) || name.starts_with(REMOVE);
        if !patch.iter().all(|(name, value)| value.is_null() || is_kept(name)) {
            return Err(Refusal::BadFormat(BAD_RETAIN.into()));
        }
        fields.retain(|name, _| keys.contains(name.as_str()));
    }
    let directives: Vec<SmolStr> =
        patch.keys().filter(|name| name.starts_with(ORDER) || name.starts_with(REMOVE)).cloned().collect();
    let directives: Vec<_> = directives.iter().filter_map(|name| patch.remove_entry(name)).collect();
    for (name, value) in directives.iter().filter_map(|(name, value)| Some((name.strip_prefix(REMOVE)?, value))) {
        if let (Some(Value::Array(items)), Value::Array(removed)) = (fields.get_mut(name), value) {
            let removed: HashSet<&Value> = removed.iter().collect();
            items.retain(|item| !removed.contains(item));
        }
    }
    // Note the order of each list that is to be reordered, before the patch changes it.
    let key_of = |name: &str| row.and_then(|row| row.field(name)).map_or("", |field| field.merge_key);
    let items_of = |name: &str| fields.get(name).and_then(Value::as_array).map_or(&[][..], Array::as_slice);
    let ordered: HashMap<String, Before> = directives
        .iter()
        .filter_map(|(name, _)| name.strip_prefix(ORDER))
        .map(|name| (name.to_owned(), Before::of(items_of(name), key_of(name))))
        .collect();
    for (name, order) in directives.iter().filter_map(|(name, order)| Some((name.strip_prefix(ORDER)?, order))) {
        element_order::check(row, name, order, fields.get(name), patch.get(name))?;
    }
    for (name, change) in patch {
        if change.is_null() {
            fields.remove(&name);
            continue;
        }
        let field = row.and_then(|row| row.field(&name));
        let order = if ordered.contains_key(name.as_str()) { Order::Directive } else { Order::Patch };
        match (fields.get_mut(&name), &change) {
            (Some(target @ Value::Object(_)), Value::Object(_)) | (Some(target @ Value::Array(_)), Value::Array(_)) => {
                merge_field(field, target, change, order)?;
            }
            _ => match without_directives(change) {
                Some(value) => drop(fields.insert(name, value)),
                None => drop(fields.remove(&name)),
            },
        }
    }
    for (name, order) in directives.iter().filter_map(|(name, order)| Some((name.strip_prefix(ORDER)?, order))) {
        if let (Some(Value::Array(items)), Value::Array(order), Some(before)) =
            (fields.get_mut(name), order, ordered.get(name))
        {
            element_order::reorder(items, order, before, key_of(name));
        }
    }
    Ok(())
}

/// Returns a value that is new in the object: without null fields, and without values that have a directive, because
/// a directive has nothing to act on. Upstream: `discardNullValuesFromPatch`, `removeDirectives`.
fn without_directives(mut value: Value) -> Option<Value> {
    discard_directives(&mut value).then_some(value)
}

/// Removes directives and nulls inside of a value. Returns false if the value itself is a directive and must go.
fn discard_directives(value: &mut Value) -> bool {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => return false,
        Value::Object(fields) => fields.retain(|_, value| !value.is_null() && discard_directives(value)),
        Value::Array(items) => items.retain_mut(discard_directives),
        _ => {}
    }
    true
}

/// The rule for the order of a merged list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The items of the patch keep the patch's order, the other items keep theirs. An item of the patch comes before
    /// another item, unless the list had them the other way round. Upstream: `normalizeElementOrder`.
    Patch,
    /// `$setElementOrder` reorders the list after the merge.
    Directive,
}

/// Merges a change into a field that exists, by the field's patch strategy.
fn merge_field(field: Option<&'static Field>, target: &mut Value, change: Value, order: Order) -> Result<(), Refusal> {
    let strategy = field.map_or("", |field| field.strategy);
    let replaces = strategy.split(',').any(|word| word == "replace");
    match change {
        Value::Object(change) if !replaces => {
            merge_object(field.and_then(|field| object_type(&field.kind)), target, change)
        }
        Value::Array(items) if strategy.split(',').any(|word| word == "merge") => {
            let (key, row) = field.map_or(("", None), |field| (field.merge_key, item_type(&field.kind)));
            merge_list(row, key, target, items, order)
        }
        change => {
            *target = change;
            Ok(())
        }
    }
}

/// Returns the struct of a field that holds an object.
fn object_type(kind: &FieldType) -> Option<&'static Struct> {
    match kind {
        FieldType::Struct(name) => Some(schema::find(name)),
        FieldType::Pointer(inner) => object_type(inner),
        _ => None,
    }
}

/// Returns the item struct of a field that holds a list.
fn item_type(kind: &FieldType) -> Option<&'static Struct> {
    match kind {
        FieldType::List(inner) => object_type(inner),
        FieldType::Pointer(inner) => item_type(inner),
        _ => None,
    }
}

/// Merges the items of a patch into a list, by the value of their merge key. Primitives are added as to a set.
fn merge_list(
    row: Option<&'static Struct>,
    key: &str,
    target: &mut Value,
    mut changes: Array,
    order: Order,
) -> Result<(), Refusal> {
    element_order::check_types(target.as_array().map_or(&[][..], Array::as_slice), &changes)?;
    // An item with this directive makes the items without directives replace the list.
    if changes.iter().any(|change| change[DIRECTIVE] == "replace") {
        changes.retain(|change| change.get(DIRECTIVE).is_none());
        *target = changes.into();
        return Ok(());
    }
    if !target.is_array() {
        *target = Vec::<Value>::new().into();
    }
    let Some(items) = target.as_array_mut() else { return Ok(()) };
    let mut list = KeyedList::new(std::mem::take(items).into_iter().collect(), key);
    for change in changes {
        let Value::Object(change) = change else {
            list.add_primitive(change);
            continue;
        };
        let value = change.get(key).cloned().ok_or_else(|| {
            Refusal::Other(format!("map: {} does not contain declared merge key: {key}", GoMap(&change)))
        })?;
        if change.get(DIRECTIVE).is_some_and(|directive| directive == "delete") {
            list.remove(&value);
        } else {
            merge_object(row, list.item(value), change)?;
        }
    }
    items.extend(list.into_items(order));
    Ok(())
}

pub mod element_order;
mod keyed_list;
#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn patched(mut object: Value, patch: Value) -> Value {
        let Value::Object(patch) = patch else { panic!("a patch is an object") };
        merge("Pod", &mut object, patch).unwrap();
        object
    }

    #[test]
    fn lists_merge_by_their_keys() {
        let pod = json!({"spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "1"}]}});
        let containers = |patch| patched(pod.clone(), json!({"spec": patch}))["spec"]["containers"].clone();
        assert_eq!(
            containers(json!({"containers": [{"name": "b", "image": "2"}, {"name": "c"}]})),
            json!([{"name": "a", "image": "1"}, {"name": "b", "image": "2"}, {"name": "c"}])
        );
        assert_eq!(
            containers(json!({"containers": [{"name": "a", "$patch": "delete"}]})),
            json!([{"name": "b", "image": "1"}])
        );
        assert_eq!(containers(json!({"containers": [{"$patch": "replace"}, {"name": "z"}]})), json!([{"name": "z"}]));
        assert_eq!(
            containers(json!({"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]})),
            json!([{"name": "b", "image": "1"}, {"name": "a", "image": "1"}])
        );
    }

    /// As recorded from a real API server, the items of a patch come first, unless they stood behind others before.
    #[test]
    fn the_items_of_a_patch_come_first_in_a_merged_list() {
        for (before, change, after) in [
            (json!(["a", "b"]), json!(["c"]), json!(["c", "a", "b"])),
            (json!(["a", "b"]), json!(["b", "c"]), json!(["a", "b", "c"])),
            (json!(["a", "b", "d"]), json!(["d", "a", "d"]), json!(["b", "d", "a"])),
            (json!(["a", "b"]), json!([]), json!(["a", "b"])),
            (json!(["a", "b", "a"]), json!([]), json!(["a", "b"])),
        ] {
            let pod = json!({"metadata": {"finalizers": before}});
            let result = patched(pod, json!({"metadata": {"finalizers": change}}));
            assert_eq!(result["metadata"]["finalizers"], after, "{before} {change}");
        }
    }

    /// As recorded from a real API server, a directive in a field that the object does not have is dropped, even an
    /// invalid one.
    #[test]
    fn a_new_value_has_no_directives_and_no_nulls() {
        let labels = |patch: Value| patched(json!({"metadata": {}}), json!({"metadata": patch}));
        assert_eq!(labels(json!({"labels": {"$patch": "bogus"}})), json!({"metadata": {}}));
        assert_eq!(labels(json!({"labels": {"a": null, "b": "c"}})), json!({"metadata": {"labels": {"b": "c"}}}));
        let containers = json!([{"name": "a", "$patch": "delete"}, {"name": "b"}]);
        let result = patched(json!({"spec": {}}), json!({"spec": {"containers": containers}}));
        assert_eq!(result, json!({"spec": {"containers": [{"name": "b"}]}}));
    }

    #[test]
    fn maps_sets_and_directives_merge_as_upstream() {
        let pod = json!({
            "metadata": {"finalizers": ["a", "b"], "labels": {"x": "1", "y": "2"}},
            "spec": {"tolerations": [{"key": "k"}], "volumes": [{"name": "v", "emptyDir": {}}]},
        });
        let result = patched(
            pod,
            json!({
                "metadata": {
                    "finalizers": ["c"], "$deleteFromPrimitiveList/finalizers": ["a"], "labels": {"x": null, "z": "3"},
                },
                "spec": {
                    "tolerations": [{"key": "other"}],
                    "volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}],
                },
            }),
        );
        assert_eq!(
            result,
            json!({
                "metadata": {"finalizers": ["c", "b"], "labels": {"y": "2", "z": "3"}},
                "spec": {
                    "tolerations": [{"key": "other"}],
                    "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
                },
            })
        );
        let Value::Object(patch) = json!({"spec": {"containers": [{"image": "1"}]}}) else { panic!() };
        let refusal = merge("Pod", &mut json!({"spec": {"containers": [{"name": "a"}]}}), patch).unwrap_err();
        let Refusal::Other(why) = refusal else { panic!("{refusal:?}") };
        assert!(why.ends_with(" does not contain declared merge key: name"), "{why}");
        let Value::Object(patch) = json!({"spec": {"$retainKeys": 7}}) else { panic!() };
        assert_eq!(merge("Pod", &mut json!({"spec": {}}), patch).unwrap_err(), Refusal::BadFormat(BAD_RETAIN.into()));
    }
}

#[cfg(test)]
mod long_lists {
    use super::*;
    use crate::value::json;

    /// Each patch would take ten billion comparisons if items were searched one by one.
    #[test]
    fn patching_a_long_list_takes_linear_time() {
        let named = |prefix: &str| (0..100_000).map(|n| json!({"name": format!("{prefix}{n}")})).collect::<Vec<_>>();
        let names = |prefix: &str| (0..100_000).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
        let mut account = json!({"metadata": {"name": "sa", "finalizers": names("f")}, "secrets": named("s")});
        let mut merged = |patch: Value| {
            merge("ServiceAccount", &mut account, patch.as_object().unwrap().clone()).unwrap();
            let secrets = account["secrets"].as_array().map_or(0, Array::len);
            (secrets, account["metadata"]["finalizers"].as_array().map_or(0, Array::len))
        };
        assert_eq!(merged(json!({"secrets": named("t")})), (200_000, 100_000));
        let finalizers = json!({"finalizers": names("g"), "$deleteFromPrimitiveList/finalizers": names("f")});
        assert_eq!(merged(json!({"metadata": finalizers})), (200_000, 100_000));
        let gone: Vec<Value> = names("s").iter().map(|name| json!({"name": name, DIRECTIVE: "delete"})).collect();
        assert_eq!(merged(json!({"secrets": gone})), (100_000, 100_000));
        assert_eq!(merged(json!({"$setElementOrder/secrets": named("t")})), (100_000, 100_000));
        let labels: Map = names("l").into_iter().map(|name| (name, "".into())).collect();
        let kept = [names("x"), vec!["labels".to_owned(), "name".to_owned()]].concat();
        let retained = json!({"labels": labels, RETAIN: kept});
        assert_eq!(merged(json!({"metadata": retained})), (100_000, 0));
    }
}
