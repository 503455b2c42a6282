//! Applies JSON merge patches (RFC 7396). Where the RFC leaves room, as for nulls inside of lists, this follows
//! upstream's library (gopkg.in/evanphx/json-patch.v4, `merge.go`).

use crate::value::{Map, Value};

/// Applies a patch; null removes a field. Values that are new, or that replace anything but an object, lose their
/// null fields, also inside of lists. A value that replaces an object is copied as it is.
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

/// Removes null fields; nulls that are items of lists stay.
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

    /// The examples of the RFC's appendix, the rules of its text, and cases that it leaves open.
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
            // Nulls inside of lists, as in upstream's library.
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
