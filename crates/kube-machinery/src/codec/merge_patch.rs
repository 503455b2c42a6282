//! JSON merge patches (RFC 7396), with the nulls in lists as upstream's library has them (gopkg.in/evanphx/json-patch.v4, `merge.go`).

use crate::value::{Map, Value};

/// Changes what the patch names; null removes a field. What comes new has no null fields, those of objects in lists included; what takes
/// the place of an object comes as it is.
pub fn merge(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(fields), Value::Object(changes)) => change(fields, changes),
        (target @ Value::Object(_), _) => target.clone_from(patch),
        (target, _) => *target = without_nulls(patch),
    }
}

fn change(fields: &mut Map, changes: &Map) {
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(name);
        } else if let Some(field) = fields.get_mut(name) {
            merge(field, change);
        } else {
            fields.insert(name.clone(), without_nulls(change));
        }
    }
}

/// A copy without null fields. The nulls that are items of lists stay.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, field)| !field.is_null());
            Value::Object(fields.map(|(name, field)| (name.clone(), without_nulls(field))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the RFC's appendix, what its text says, and what it leaves open.
    #[test]
    fn a_patch_changes_what_it_names() {
        for (target, patch, expected) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"a":1,"e":null}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
            // In lists, as upstream has it.
            ("{}", r#"{"a":[null,{"b":null,"c":[{"d":null}]}]}"#, r#"{"a":[null,{"c":[{}]}]}"#),
            (r#"{"a":[1]}"#, r#"{"a":[{"b":null}]}"#, r#"{"a":[{}]}"#),
            (r#"{"a":{"b":1}}"#, r#"{"a":[{"b":null}]}"#, r#"{"a":[{"b":null}]}"#),
        ] {
            let mut merged: Value = serde_json::from_str(target).unwrap();
            merge(&mut merged, &serde_json::from_str(patch).unwrap());
            assert_eq!(merged.to_string(), expected, "{target} {patch}");
        }
    }
}
