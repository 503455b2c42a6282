//! Writes a decoded object as Go's `encoding/json` writes the struct that it was decoded to: with the fields in the order of
//! the Go type. `go_json` sorts them by name, as Go does for a map.

use super::go_json::go_json;
use super::schema::{FieldType, find};
use crate::value::Value;

/// Returns the JSON of a value of this type.
pub(crate) fn go_struct_json(kind: &FieldType, value: &Value) -> String {
    match (kind, value) {
        (FieldType::Pointer(inner), value) if !value.is_null() => go_struct_json(inner, value),
        (FieldType::List(inner), Value::Array(items)) => {
            let items: Vec<String> = items.iter().map(|item| go_struct_json(inner, item)).collect();
            format!("[{}]", items.join(","))
        }
        (FieldType::Struct(name), Value::Object(fields)) => {
            let present =
                find(name).all_fields().into_iter().filter_map(|field| Some((field, fields.get(field.name)?)));
            let fields =
                present.map(|(field, value)| format!("{:?}:{}", field.name, go_struct_json(&field.kind, value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
        (_, value) => go_json(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn the_fields_of_a_struct_keep_their_order() {
        let expression = json!({"values": ["<"], "operator": "In", "key": "a"});
        let selector = json!({"matchExpressions": [expression], "matchLabels": {"b": "1", "a": "2"}});
        assert_eq!(
            go_struct_json(&FieldType::Struct("LabelSelector"), &selector),
            r#"{"matchLabels":{"a":"2","b":"1"},"matchExpressions":[{"key":"a","operator":"In","values":["\u003c"]}]}"#
        );
        assert_eq!(go_struct_json(&FieldType::Struct("LabelSelector"), &Value::Null), "null");
    }
}
