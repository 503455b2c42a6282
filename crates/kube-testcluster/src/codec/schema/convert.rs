//! What Go says if a map does not fit the type that it is converted to. A strategic merge patch is not decoded from JSON:
//! its result is a map. Upstream: `unstructuredConverter` in `k8s.io/apimachinery/pkg/runtime/converter.go`.

use serde_json::Value;

use super::decode::{micro_time, quantity, time};
use super::{Field, Kind, Struct, find, json_type};

/// The first field that does not fit, in the order of the types.
///
/// # Errors
/// Go's message.
pub(crate) fn check_map(kind: &str, object: &Value) -> Result<(), String> {
    for field in ["kind", "apiVersion"] {
        check(&Kind::Text, &object[field], None)?;
    }
    check_struct(find(kind), object)
}

fn check_struct(row: &'static Struct, value: &Value) -> Result<(), String> {
    let Value::Object(fields) = value else { return Err(format!("cannot restore struct from: {}", go_kind(value))) };
    for field in &row.fields {
        match &field.kind {
            Kind::Struct(embedded) if field.name.is_empty() => check_struct(find(embedded), value)?,
            kind => check(kind, fields.get(field.name).unwrap_or(&Value::Null), Some(field))?,
        }
    }
    Ok(())
}

/// `field` is the one that has the value itself, whose type may have a name of its own.
fn check(kind: &Kind, value: &Value, field: Option<&Field>) -> Result<(), String> {
    if value.is_null() {
        return Ok(()); // the zero value
    }
    match kind {
        Kind::Pointer(inner) => check(inner, value, field),
        Kind::Struct(name) => check_struct(find(name), value),
        Kind::List(inner) => match value {
            Value::Array(items) => items.iter().try_for_each(|item| check(inner, item, None)),
            other => Err(format!("cannot restore slice from {}", go_kind(other))),
        },
        Kind::Map(inner) => match value {
            Value::Object(fields) => fields.values().try_for_each(|value| check(inner, value, None)),
            other => Err(format!("cannot restore map from {}", go_kind(other))),
        },
        Kind::Bytes => match value {
            Value::String(_) => Ok(()),
            other => Err(format!("cannot restore slice from {}", go_kind(other))),
        },
        Kind::Text => match value {
            Value::String(_) => Ok(()),
            Value::Number(number) if !number.is_f64() => {
                let named = field.and_then(|field| field.named);
                Err(format!("cannot convert int64 to {}", named.unwrap_or("string")))
            }
            _ => Err("unrecognized type: string".into()),
        },
        Kind::Bool if value.is_boolean() => Ok(()),
        Kind::Bool => Err("unrecognized type: bool".into()),
        Kind::Integer(bits) => match value {
            Value::Number(number) => match number.as_f64().filter(|number| number.fract() != 0.0) {
                Some(_) => Err(format!("cannot convert float64 to int{bits}")),
                None => Ok(()),
            },
            _ => Err(format!("unrecognized type: int{bits}")),
        },
        Kind::Time | Kind::MicroTime | Kind::Quantity | Kind::IntOrString | Kind::Raw => check_own(kind, value),
    }
}

/// The types that read their JSON themselves.
fn check_own(kind: &Kind, value: &Value) -> Result<(), String> {
    let misfit =
        |of_type: &str| Err(format!("json: cannot unmarshal {} into Go value of type {of_type}", json_type(value)));
    match (kind, value) {
        (Kind::Time, Value::String(text)) => time(text).map(drop),
        (Kind::MicroTime, Value::String(text)) => micro_time(text).map(drop),
        (Kind::Time | Kind::MicroTime, _) => misfit("string"),
        (Kind::Quantity, _) => quantity(value).map(drop),
        (Kind::IntOrString, Value::Number(_) | Value::String(_)) => Ok(()),
        (Kind::IntOrString, _) => misfit("int32"),
        _ => Ok(()),
    }
}

/// The kind of a value in Go, if it came from JSON.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each message is that of the real API server.
    #[test]
    fn what_does_not_fit_is_said_in_the_words_of_the_converter() {
        for (service, message) in [
            (json!({"metadata": {"name": 5}}), "cannot convert int64 to string"),
            (json!({"metadata": {"uid": 5}}), "cannot convert int64 to types.UID"),
            (json!({"metadata": {"name": {}}}), "unrecognized type: string"),
            (json!({"metadata": {"labels": {"a": true}}}), "unrecognized type: string"),
            (json!({"metadata": {"labels": "text"}}), "cannot restore map from string"),
            (json!({"metadata": {"ownerReferences": "o"}}), "cannot restore slice from string"),
            (json!({"metadata": "m"}), "cannot restore struct from: string"),
            (
                json!({"metadata": {"creationTimestamp": 5}}),
                "json: cannot unmarshal number into Go value of type string",
            ),
            (json!({"kind": 5, "metadata": "m"}), "cannot convert int64 to string"),
        ] {
            assert_eq!(check_map("Service", &service).unwrap_err(), message, "{service}");
        }
        let service = json!({"kind": "Service", "metadata": {"name": null}, "spec": {"ports": [{"port": 1.0}]}});
        assert_eq!(check_map("Service", &service), Ok(()));
    }
}
