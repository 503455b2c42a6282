//! Tests laws of strategic merge patches with random pods: the difference of two objects, applied as a patch, turns one
//! into the other, and applying it twice changes nothing more.

use fastrand::Rng;

use super::*;
use crate::codec::schema::{conform, from_map};
use crate::value::{format_smolstr, json};

/// Returns a pod with fields for each way of merging. Names are few, so that two pods have much in common.
fn pod(random: &mut Rng) -> Value {
    let mut spec = Map::new();
    spec.insert("containers".into(), keyed(random, &["a", "b", "c"], "name", container));
    if random.bool() {
        spec.insert("volumes".into(), keyed(random, &["v", "w"], "name", |random| json!({"emptyDir": labels(random)})));
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

/// Returns some of the names in random order.
fn some(random: &mut Rng, names: &[&'static str]) -> Vec<&'static str> {
    let mut names: Vec<_> = names.iter().copied().filter(|_| random.bool()).collect();
    random.shuffle(&mut names);
    names
}

/// Returns a list with an item for some of the names. Each item has its name in the field `key`.
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
    names.into_iter().map(|name| (name.to_owned(), random.u8(0..3).to_string().into())).collect::<Map>().into()
}

/// Returns the patch from one object to another, as kubectl computes it.
fn diff(from: &Value, to: &Value) -> Value {
    let (from, to) = (from.as_object().unwrap(), to.as_object().unwrap());
    let mut patch = Map::new();
    for name in from.keys().filter(|name| !to.contains_key(name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, after) in to {
        match (name.as_str(), from.get(name), after) {
            (_, Some(before), after) if before == after => {}
            ("containers" | "volumes" | "env", Some(Value::Array(before)), Value::Array(after)) => {
                patch.insert(name.clone(), keyed_diff(before, after).into());
                let order = after.iter().map(|item| json!({"name": item["name"]})).collect::<Vec<_>>();
                patch.insert(format_smolstr!("{ORDER}{name}"), order.into());
            }
            ("finalizers", Some(Value::Array(before)), Value::Array(after)) => {
                let gone: Vec<_> = before.iter().filter(|item| !after.contains(item)).cloned().collect();
                let new: Vec<_> = after.iter().filter(|item| !before.contains(item)).cloned().collect();
                patch.insert(format_smolstr!("{REMOVE}{name}"), gone.into());
                if !after.is_empty() {
                    patch.insert(name.clone(), new.into()); // upstream refuses to order an empty list
                    patch.insert(format_smolstr!("{ORDER}{name}"), after.clone().into());
                }
            }
            (_, Some(before @ Value::Object(_)), Value::Object(_)) => {
                patch.insert(name.clone(), diff(before, after));
            }
            _ => drop(patch.insert(name.clone(), after.clone())),
        }
    }
    patch.into()
}

/// Returns the items of a patch that makes the list `after` from `before`.
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
fn the_difference_of_two_objects_turns_one_into_the_other_and_is_idempotent() {
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

/// The form of a patched object does not depend on the parts that it shares with the object before.
#[test]
fn parts_that_a_patch_leaves_alone_need_no_conversion() {
    for seed in 0..2000 {
        let mut random = Rng::with_seed(seed);
        let (from, to) = (pod(&mut random), pod(&mut random));
        let Ok(before) = conform("Pod", from, &Value::Null) else { panic!("seed {seed}: the random pod is invalid") };
        let after = patched(&before.value, &diff(&before.value, &to));
        let form = |mut value: Value, before: &Value| {
            from_map("Pod", &mut value, before)?;
            conform("Pod", value, before).map(|decoded| (decoded.value, decoded.faults))
        };
        let unshared: Value = serde_json::from_str(&after.to_string()).unwrap();
        assert_eq!(form(after, &before.value), form(unshared, &Value::Null), "seed {seed}");
    }
}
