//! Tests that values behave as `serde_json`'s, with random values, and that copies share their parts.

use fastrand::Rng;

use super::*;

/// Returns a random value with at most `depth` levels of lists and objects. At depth 3 it may be an object with
/// hundreds of fields.
fn random(rng: &mut Rng, depth: usize) -> serde_json::Value {
    match rng.usize(0..if depth == 0 { 5 } else { 7 }) {
        0 => serde_json::Value::Null,
        1 => rng.bool().into(),
        2 => rng.i64(-3..300).into(),
        3 => f64::from(rng.i32(-9..9)).mul_add(0.5, 0.25).into(),
        4 => "aä\"\\\n0123456789 a text that is longer than what fits"[..[0, 1, 3, 40][rng.usize(0..4)]].into(),
        5 => (0..rng.usize(0..5)).map(|_| random(rng, depth - 1)).collect(),
        6 if depth == 3 && rng.u8(0..4) == 0 => {
            (0..rng.usize(100..400)).map(|_| (rng.u16(..).to_string(), random(rng, 1))).collect()
        }
        _ => (0..rng.usize(0..24)).map(|_| (name(rng), random(rng, depth - 1))).collect(),
    }
}

fn name(rng: &mut Rng) -> String {
    match rng.usize(0..8) {
        0 => "a~b/c".to_owned(),
        1 => format!("terminationGracePeriodSeconds{}", rng.u8(0..3)),
        _ => format!("{}{}", rng.lowercase(), rng.u8(0..9)),
    }
}

/// Returns a pointer to a random place in a value, or beside it.
fn pointer(rng: &mut Rng, value: &serde_json::Value) -> String {
    let step = match value {
        serde_json::Value::Object(fields) if !fields.is_empty() && rng.u8(0..5) > 0 => {
            fields.keys().nth(rng.usize(0..fields.len())).map(|name| name.replace('~', "~0").replace('/', "~1"))
        }
        serde_json::Value::Array(_) => Some(["0", "1", "01", "+1", "-"][rng.usize(0..5)].to_owned()),
        _ => Some(name(rng)),
    };
    let step = format!("/{}", step.unwrap_or_default());
    match value.pointer(&step) {
        Some(inner) if rng.bool() => step + &pointer(rng, inner),
        _ => step,
    }
}

#[test]
fn values_parse_print_and_compare_as_serde_jsons() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2_000 {
        let (one, other) = (random(&mut rng, 3), random(&mut rng, 1));
        let (text, ours) = (one.to_string(), Value::from(one.clone()));
        assert_eq!(ours.to_string(), text);
        assert_eq!(format!("{ours:#}"), format!("{one:#}"));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), ours);
        assert_eq!(serde_json::Value::from(ours.clone()), one);
        assert_eq!(Value::from(other.clone()) == ours, other == one);
    }
}

#[test]
fn pointers_find_and_change_the_same_places_as_serde_jsons() {
    let mut rng = Rng::with_seed(2);
    for _ in 0..500 {
        let mut theirs = random(&mut rng, 3);
        let mut ours = Value::from(theirs.clone());
        let (before, text) = (ours.clone(), theirs.to_string());
        for _ in 0..20 {
            let (at, new) = (pointer(&mut rng, &theirs), random(&mut rng, 1));
            assert_eq!(
                ours.pointer(&at).map(ToString::to_string),
                theirs.pointer(&at).map(ToString::to_string),
                "{at}"
            );
            if let (Some(ours), Some(theirs)) = (ours.pointer_mut(&at), theirs.pointer_mut(&at)) {
                let field = name(&mut rng);
                match (ours, theirs) {
                    (Value::Object(ours), serde_json::Value::Object(theirs)) if rng.bool() => {
                        let removed = (ours.remove(&field), theirs.remove(&field));
                        assert_eq!(removed.0.map(serde_json::Value::from), removed.1);
                    }
                    (Value::Object(ours), serde_json::Value::Object(theirs)) => {
                        *ours.entry(&*field).or_insert(Value::Null) = new.clone().into();
                        *theirs.entry(field).or_insert(serde_json::Value::Null) = new;
                    }
                    (ours, theirs) => (*ours, *theirs) = (new.clone().into(), new),
                }
            }
            assert_eq!(ours.to_string(), theirs.to_string());
        }
        assert_eq!(before.to_string(), text, "a copy is not changed");
    }
}

#[test]
fn a_change_copies_only_the_levels_above_it() {
    let before = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c"}]}});
    let mut after = before.clone();
    after["metadata"]["name"] = "b".into();
    let spec = |value: &Value| value["spec"].as_object().map(|spec| std::ptr::from_ref(spec.values().next().unwrap()));
    assert_eq!(spec(&before), spec(&after));
    assert_eq!((&before["metadata"]["name"], &after["metadata"]["name"]), (&"a".into(), &"b".into()));
}

/// A sorted list would move fields a billion times.
#[test]
fn very_many_fields_can_be_inserted_in_any_order() {
    let names = || (0..100_000_u32).rev().map(|n| (n.wrapping_mul(2_654_435_761).to_string(), Value::Null));
    let (mut map, mut other) = (names().collect::<Map>(), names().take(200).collect::<Map>());
    assert_eq!((map.len(), map.keys().is_sorted()), (100_000, true));
    other.append(&mut map.clone());
    assert!(map == other && !map.is_same(&other));
    names().skip(100).for_each(|(name, _)| drop(map.remove(&name)));
    assert_eq!(map, names().take(100).collect::<Map>(), "both representations compare equal");
}

#[test]
fn a_literal_makes_the_value_that_it_shows() {
    let (name, list) = ("key", ["a", "b"]);
    let ours = json!({"null": null, "list": [1, null, [], {}, {"a": true}], name: list, (format!("{name}2")): Some("x"), "none": None::<&str>});
    assert_eq!(
        ours.to_string(),
        r#"{"key":["a","b"],"key2":"x","list":[1,null,[],{},{"a":true}],"none":null,"null":null}"#
    );
}

#[test]
fn a_value_is_three_words() {
    assert_eq!(size_of::<Value>(), 24);
}
