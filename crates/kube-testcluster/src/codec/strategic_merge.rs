//! Strategic merge patches: merge patches that merge some lists item by item. Upstream:
//! `k8s.io/apimachinery/pkg/util/strategicpatch`.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::schema::{self, Field, Kind, Struct};

/// What to do with the surrounding object: `replace`, `delete` or `merge`.
const DIRECTIVE: &str = "$patch";
/// The fields of the object to keep.
const RETAIN: &str = "$retainKeys";
/// The order of the items in the list with this name.
const ORDER: &str = "$setElementOrder/";
/// The items to remove from the list of primitives with this name.
const REMOVE: &str = "$deleteFromPrimitiveList/";

/// Applies a patch to an object of this kind.
///
/// # Errors
/// If a directive is unknown, or an item of a list that is merged by key has no key.
pub(crate) fn merge(kind: &str, object: &mut Value, patch: Map<String, Value>) -> Result<(), String> {
    merge_object(Some(schema::find(kind)), object, patch)
}

fn merge_object(row: Option<&'static Struct>, target: &mut Value, mut patch: Map<String, Value>) -> Result<(), String> {
    match patch.remove(DIRECTIVE).as_ref().map(|directive| directive.as_str().unwrap_or_default()) {
        None | Some("merge") => {}
        Some("replace") => {
            *target = patch.into();
            return Ok(());
        }
        Some("delete") => {
            *target = Map::new().into();
            return Ok(());
        }
        Some(other) => return Err(format!("unknown patch type found: {other}")),
    }
    if !target.is_object() {
        *target = Map::new().into();
    }
    let Some(fields) = target.as_object_mut() else { return Ok(()) };
    if let Some(keys) = patch.remove(RETAIN) {
        let Value::Array(keys) = keys else { return Err("invalid patch format of retainKeys".into()) };
        fields.retain(|name, _| keys.iter().any(|key| key == name));
    }
    let (directives, changes): (Vec<_>, Vec<_>) =
        patch.into_iter().partition(|(name, _)| name.starts_with(ORDER) || name.starts_with(REMOVE));
    for (name, value) in directives.iter().filter_map(|(name, value)| Some((name.strip_prefix(REMOVE)?, value))) {
        if let Some(Value::Array(items)) = fields.get_mut(name) {
            items.retain(|item| value.as_array().is_none_or(|removed| !removed.contains(item)));
        }
    }
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(&name);
            continue;
        }
        let field = row.and_then(|row| row.field(&name));
        merge_field(field, fields.entry(name).or_insert(Value::Null), change)?;
    }
    for (name, order) in directives.iter().filter_map(|(name, order)| Some((name.strip_prefix(ORDER)?, order))) {
        let key = row.and_then(|row| row.field(name)).map_or("", |field| field.merge_key);
        if let (Some(Value::Array(items)), Value::Array(order)) = (fields.get_mut(name), order) {
            reorder(items, order, key);
        }
    }
    Ok(())
}

fn merge_field(field: Option<&'static Field>, target: &mut Value, change: Value) -> Result<(), String> {
    let strategy = field.map_or("", |field| field.strategy);
    let replaces = strategy.split(',').any(|word| word == "replace");
    match change {
        Value::Object(change) if !replaces => {
            merge_object(field.and_then(|field| object_type(&field.kind)), target, change)
        }
        Value::Array(items) if strategy.split(',').any(|word| word == "merge") => {
            let (key, row) = field.map_or(("", None), |field| (field.merge_key, item_type(&field.kind)));
            merge_list(row, key, target, items)
        }
        change => {
            *target = change;
            Ok(())
        }
    }
}

fn object_type(kind: &Kind) -> Option<&'static Struct> {
    match kind {
        Kind::Struct(name) => Some(schema::find(name)),
        Kind::Pointer(inner) => object_type(inner),
        _ => None,
    }
}

fn item_type(kind: &Kind) -> Option<&'static Struct> {
    match kind {
        Kind::List(inner) => object_type(inner),
        Kind::Pointer(inner) => item_type(inner),
        _ => None,
    }
}

fn merge_list(
    row: Option<&'static Struct>,
    key: &str,
    target: &mut Value,
    mut changes: Vec<Value>,
) -> Result<(), String> {
    if changes.iter().any(|change| change[DIRECTIVE] == "replace") {
        changes.retain(|change| change.get(DIRECTIVE).is_none());
        *target = changes.into();
        return Ok(());
    }
    if !target.is_array() {
        *target = Vec::<Value>::new().into();
    }
    let Some(items) = target.as_array_mut() else { return Ok(()) };
    let mut texts: HashSet<String> = items.iter().filter(|item| !item.is_object()).map(Value::to_string).collect();
    for change in changes {
        let Value::Object(change) = change else {
            if texts.insert(change.to_string()) {
                items.push(change); // a list of primitives is a set
            }
            continue;
        };
        let value = change.get(key).cloned().ok_or_else(|| {
            format!("map: {} does not contain declared merge key: {key}", Value::Object(change.clone()))
        })?;
        if change.get(DIRECTIVE).is_some_and(|directive| directive == "delete") {
            items.retain(|item| item[key] != value);
            continue;
        }
        match items.iter_mut().find(|item| item[key] == value) {
            Some(item) => merge_object(row, item, change)?,
            None => {
                let mut item = Value::Null;
                merge_object(row, &mut item, change)?;
                items.push(item);
            }
        }
    }
    Ok(())
}

/// Sorts the items that `order` names into that order. Each other item stays before the item that follows it.
fn reorder(items: &mut Vec<Value>, order: &[Value], key: &str) {
    let identity = |item: &Value| if key.is_empty() { item.to_string() } else { item[key].to_string() };
    let mut wanted = HashMap::new();
    for (place, item) in order.iter().enumerate() {
        wanted.entry(identity(item)).or_insert(place);
    }
    let mut next = usize::MAX;
    let mut placed = Vec::with_capacity(items.len());
    for item in items.drain(..).rev() {
        let place = wanted.get(&identity(&item)).copied();
        next = place.unwrap_or(next);
        placed.push((next, place.is_some(), item));
    }
    placed.reverse();
    placed.sort_by_key(|(place, is_listed, _)| (*place, *is_listed)); // stable, so others stay in their order
    items.extend(placed.into_iter().map(|(.., item)| item));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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

    #[test]
    fn maps_sets_and_directives_do_what_upstreams_do() {
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
                "metadata": {"finalizers": ["b", "c"], "labels": {"y": "2", "z": "3"}},
                "spec": {
                    "tolerations": [{"key": "other"}],
                    "volumes": [{"name": "v", "hostPath": {"path": "/"}}],
                },
            })
        );
        let Value::Object(patch) = json!({"spec": {"containers": [{"image": "1"}]}}) else { panic!() };
        assert!(merge("Pod", &mut json!({}), patch).unwrap_err().contains("merge key: name"));
        let Value::Object(patch) = json!({"spec": {"$retainKeys": 7}}) else { panic!() };
        assert_eq!(merge("Pod", &mut json!({}), patch).unwrap_err(), "invalid patch format of retainKeys");
    }
}

#[cfg(test)]
mod laws {
    use fastrand::Rng;
    use serde_json::json;

    use super::*;

    /// A pod with fields for each kind of merging, and with few names, so that two pods have much in common.
    fn pod(random: &mut Rng) -> Value {
        let mut spec = Map::new();
        spec.insert("containers".into(), keyed(random, &["a", "b", "c"], "name", container));
        if random.bool() {
            spec.insert(
                "volumes".into(),
                keyed(random, &["v", "w"], "name", |random| json!({"emptyDir": labels(random)})),
            );
        }
        if random.bool() {
            spec.insert("nodeSelector".into(), labels(random));
        }
        if random.bool() {
            // This list is replaced as a whole.
            let keys: Vec<Value> = some(random, &["x", "y"]).into_iter().map(|key| json!({"key": key})).collect();
            spec.insert("tolerations".into(), keys.into());
        }
        let mut metadata = Map::new();
        metadata.insert("labels".into(), labels(random));
        metadata.insert("finalizers".into(), some(random, &["f", "g", "h"]).into());
        json!({"metadata": metadata, "spec": spec})
    }

    fn container(random: &mut Rng) -> Value {
        let value = |random: &mut Rng| json!({"value": random.u8(0..3).to_string()});
        json!({"image": random.u8(0..3).to_string(), "env": keyed(random, &["E", "F", "G"], "name", value)})
    }

    fn some(random: &mut Rng, names: &[&'static str]) -> Vec<&'static str> {
        let mut names: Vec<_> = names.iter().copied().filter(|_| random.bool()).collect();
        random.shuffle(&mut names);
        names
    }

    fn keyed(random: &mut Rng, names: &[&'static str], key: &str, item: impl Fn(&mut Rng) -> Value) -> Value {
        let mut items = Vec::new();
        for name in some(random, names) {
            let mut item = item(random);
            item[key] = name.into();
            items.push(item);
        }
        items.into()
    }

    fn labels(random: &mut Rng) -> Value {
        let names = some(random, &["k", "l", "m"]);
        names
            .into_iter()
            .map(|name| (name.to_owned(), random.u8(0..3).to_string().into()))
            .collect::<Map<_, _>>()
            .into()
    }

    /// The patch from one object to another, as kubectl computes it.
    fn diff(from: &Value, to: &Value) -> Value {
        let (from, to) = (from.as_object().unwrap(), to.as_object().unwrap());
        let mut patch = Map::new();
        for name in from.keys().filter(|name| !to.contains_key(*name)) {
            patch.insert(name.clone(), Value::Null);
        }
        for (name, after) in to {
            match (name.as_str(), from.get(name), after) {
                (_, Some(before), after) if before == after => {}
                ("containers" | "volumes" | "env", Some(Value::Array(before)), Value::Array(after)) => {
                    patch.insert(name.clone(), keyed_diff(before, after).into());
                    let order = after.iter().map(|item| json!({"name": item["name"]})).collect::<Vec<_>>();
                    patch.insert(format!("{ORDER}{name}"), order.into());
                }
                ("finalizers", Some(Value::Array(before)), Value::Array(after)) => {
                    let gone: Vec<_> = before.iter().filter(|item| !after.contains(item)).cloned().collect();
                    let new: Vec<_> = after.iter().filter(|item| !before.contains(item)).cloned().collect();
                    patch.insert(format!("{REMOVE}{name}"), gone.into());
                    patch.insert(name.clone(), new.into());
                    patch.insert(format!("{ORDER}{name}"), after.clone().into());
                }
                (_, Some(before @ Value::Object(_)), Value::Object(_)) => {
                    patch.insert(name.clone(), diff(before, after));
                }
                _ => drop(patch.insert(name.clone(), after.clone())),
            }
        }
        patch.into()
    }

    fn keyed_diff(before: &[Value], after: &[Value]) -> Vec<Value> {
        let same = |one: &Value, other: &Value| one["name"] == other["name"];
        let gone = before.iter().filter(|item| !after.iter().any(|other| same(item, other)));
        let mut changes: Vec<Value> = gone.map(|item| json!({"name": item["name"], DIRECTIVE: "delete"})).collect();
        for item in after {
            let mut change = match before.iter().find(|other| same(item, other)) {
                Some(before) => diff(before, item),
                None => item.clone(),
            };
            change["name"] = item["name"].clone();
            changes.push(change);
        }
        changes
    }

    fn patched(object: &Value, patch: &Value) -> Value {
        let mut object = object.clone();
        merge("Pod", &mut object, patch.as_object().unwrap().clone()).unwrap();
        object
    }

    #[test]
    fn the_difference_of_two_objects_makes_one_of_the_other_and_then_changes_nothing() {
        for seed in 0..5000 {
            let mut random = Rng::with_seed(seed);
            let (from, to) = (pod(&mut random), pod(&mut random));
            let patch = diff(&from, &to);
            let result = patched(&from, &patch);
            assert_eq!(result, to, "seed {seed}: {from} with {patch}");
            assert_eq!(patched(&result, &patch), to, "seed {seed}: {patch} twice");
            assert_eq!(patched(&from, &json!({})), from);
            assert_eq!(diff(&from, &from), json!({}));
        }
    }
}
