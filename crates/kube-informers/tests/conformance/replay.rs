//! Reads recordings, replays their steps, and compares each result with the recorded one.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// A recorded operation and its result.
pub struct Step(Value);

impl Step {
    pub fn op(&self) -> &str {
        self.str("op")
    }

    /// Returns an argument, or the recorded result (`want`). Null if it is absent.
    pub fn get(&self, name: &str) -> &Value {
        &self.0[name]
    }

    pub fn str(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_else(|| panic!("{name:?} is not a text in {}", self.0))
    }

    pub fn int(&self, name: &str) -> i64 {
        self.0[name].as_i64().unwrap_or_else(|| panic!("{name:?} is not a number in {}", self.0))
    }
}

/// The thing under test in a case, such as a queue or an informer.
pub trait Subject {
    /// Performs one step and returns its result in the recorded form. The result may have additional members.
    fn step(&mut self, step: &Step) -> Value;

    /// Returns the reason if this library's types exclude the step at compile time. Such a step is skipped and counted
    /// apart.
    fn excluded_by_types(_step: &Step) -> Option<&'static str> {
        None
    }

    fn agrees(&self, want: &Value, got: &Value) -> bool {
        agrees(want, got)
    }
}

/// Replays every case of a file, each on a subject made from its `config`. A recorded result of `i64::MIN` is not
/// compared, because it shows the float conversion of the recording machine (see the README beside the recordings).
pub fn replay<S: Subject>(file: &str, mut subject: impl FnMut(&Value) -> S) {
    let path = directory().join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("no recordings in {}: {error}", path.display()));
    let (mut cases, mut replayed, mut left_out) = (0, 0, 0);
    let mut excluded = BTreeMap::<&str, u32>::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{file}: {error} in {line}"));
        let steps = case["steps"].as_array().unwrap_or_else(|| panic!("{file}: no steps in {line}"));
        let mut subject = subject(&case["config"]);
        for (number, step) in steps.iter().enumerate() {
            let step = Step(step.clone());
            if let Some(why) = S::excluded_by_types(&step) {
                *excluded.entry(why).or_default() += 1;
                continue;
            }
            let (want, got) = (step.get("want"), subject.step(&step));
            if want.as_i64() == Some(i64::MIN) {
                left_out += 1;
                continue;
            }
            assert!(
                subject.agrees(want, &got),
                "{file}: case {}, config {}: step {number}\n  {}\n  client-go: {want}\n  here:      {got}",
                case["name"],
                case["config"],
                step.0,
            );
            replayed += 1;
        }
        cases += 1;
    }
    assert!(cases > 0, "no recordings in {}", path.display());
    println!("{file}: {cases} cases, {replayed} steps replayed, {left_out} left out");
    for (why, steps) in excluded {
        println!("{file}: {steps} steps skipped, do not compile here: {why}");
    }
}

fn directory() -> PathBuf {
    let own = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/conformance").into();
    env::var_os("CONFORMANCE_DIR").map_or_else(own, PathBuf::from)
}

/// Compares all members of the recorded result. Additional members of `got` itself are ignored, but not those further
/// inside.
pub fn agrees(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.iter().all(|(name, want)| same(want, member(got, name))),
        _ => same(want, got),
    }
}

/// Compares two values. In an object, a member that is null, an empty text or an empty object counts as absent. An
/// empty list does not.
fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => want.keys().chain(got.keys()).all(|name| {
            let (want, got) = (member(want, name), member(got, name));
            same(want, got) || (is_empty(want) && is_empty(got))
        }),
        (Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| same(want, got))
        }
        _ => want == got,
    }
}

fn member<'a>(object: &'a Map<String, Value>, name: &str) -> &'a Value {
    object.get(name).unwrap_or(&Value::Null)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
