//! Converts an object to the form of its Go type where upstream has it as a map and not as JSON text: the result of a
//! strategic merge patch or of server-side apply, and an applied scale.
//!
//! Upstream's converter from maps is less strict about numbers than its JSON decoder, and words errors differently. So
//! this conversion runs first, and `decode.rs` or `conform.rs` runs on its result.
//!
//! Upstream: `unstructuredConverter` in `k8s.io/apimachinery/pkg/runtime/converter.go`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::scalar::{float, micro_time, quantity, time};
use super::schema_or::schema_or;
use super::type_error::FieldPath;
use super::{Field, FieldType, Struct, byte_fields, find, json_type};
use crate::codec::go_json;
use crate::codec::json::Json;
use crate::value::{Number, Value};

/// Converts the numbers and bytes of an object to those of its Go type, also where the JSON decoder would refuse them
/// (`1.0` for an integer). `before` is the object before the write: parts that the new object shares with it (the same
/// memory) are skipped, because they have the form already. It is null if there is no such object.
///
/// # Errors
/// Go's message about the first field that does not fit, in the order of the type's fields.
pub fn from_map(kind: &str, object: &mut Value, before: &Value) -> Result<(), String> {
    for field in ["kind", "apiVersion"] {
        if let Some(value) = object.get_mut(field) {
            convert(&FieldType::Text, value, &Value::Null, None)?;
        }
    }
    convert_struct(find(kind), object, before)
}

/// Converts the fields of a struct. `row` is the struct in the table of Go types.
fn convert_struct(row: &'static Struct, value: &mut Value, before: &Value) -> Result<(), String> {
    if !value.is_object() {
        return Err(format!("cannot restore struct from: {}", go_kind(value)));
    }
    for field in &row.fields {
        let name = field.name;
        match &field.kind {
            // The fields of an embedded struct stand beside those of the outer one.
            FieldType::Struct(embedded) if name.is_empty() => convert_struct(find(embedded), value, before)?,
            kind if value.get(name).is_some_and(|value| !value.is_same(&before[name])) => {
                convert(kind, &mut value[name], &before[name], Some(field))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Converts a value. `field` is the field that holds the value directly; Go's message may need the name of its type.
fn convert(kind: &FieldType, value: &mut Value, before: &Value, field: Option<&Field>) -> Result<(), String> {
    if value.is_same(before) {
        return Ok(());
    }
    match (kind, &mut *value) {
        (_, Value::Null) => Ok(()), // decoded to the zero value later
        (FieldType::Pointer(inner), _) => convert(inner, value, before, field),
        (FieldType::Struct(name), _) => convert_struct(find(name), value, before),
        (FieldType::List(inner), Value::Array(items)) => {
            items.iter_mut().enumerate().try_for_each(|(i, item)| convert(inner, item, &before[i], None))
        }
        (FieldType::Map(inner), Value::Object(fields)) => {
            fields.iter_mut().try_for_each(|(name, value)| convert(inner, value, &before[name], None))
        }
        (FieldType::Map(_), other) => Err(format!("cannot restore map from {}", go_kind(other))),
        (FieldType::Bytes, Value::Array(items)) => {
            let bytes: Result<Vec<u8>, String> = items.iter().map(byte).collect();
            *value = STANDARD.encode(bytes?).into();
            Ok(())
        }
        (FieldType::Bytes, Value::String(text)) => {
            *text = byte_fields::canonical(text).map_err(|why| format!("error decoding from json: {why}"))?.into();
            Ok(())
        }
        (FieldType::Text, Value::String(_)) | (FieldType::Bool, Value::Bool(_)) => Ok(()),
        (FieldType::List(_) | FieldType::Bytes, other) => Err(format!("cannot restore slice from {}", go_kind(other))),
        (FieldType::Text, Value::Number(number)) if number.is_i64() => {
            let named = field.and_then(|field| field.named);
            Err(format!("cannot convert int64 to {}", named.unwrap_or("string")))
        }
        (FieldType::Text, _) => Err("unrecognized type: string".into()),
        (FieldType::Bool, _) => Err("unrecognized type: bool".into()),
        (FieldType::Integer(bits), Value::Number(number)) => {
            let whole = integer(number).ok_or_else(|| format!("cannot convert float64 to int{bits}"))?;
            *number = if *bits == 64 { whole } else { i64::from(low_bits(whole)) }.into();
            Ok(())
        }
        (FieldType::Float, Value::Number(number)) => {
            *number = float(number);
            Ok(())
        }
        (FieldType::Float, _) => Err("unrecognized type: float64".into()),
        (FieldType::Integer(bits), _) => Err(format!("unrecognized type: int{bits}")),
        (FieldType::IntOrString, Value::Number(number)) => {
            *number = int32(number)?.into();
            Ok(())
        }
        // Such a type parses its own JSON, so Go writes the value as JSON first.
        (FieldType::SchemaOr(other), _) => {
            let text = go_json::go_json(value);
            *value = schema_or(*other, Json::read(text.as_bytes())?, &FieldPath::Top, None)?;
            Ok(())
        }
        (FieldType::Time | FieldType::MicroTime | FieldType::Quantity | FieldType::IntOrString | FieldType::Raw, _) => {
            check_own(kind, value)
        }
    }
}

/// Returns a number as Go converts it to an `int64`: `None` if it has a fraction, and the smallest `int64` if it is
/// out of range.
#[expect(clippy::cast_possible_truncation, reason = "numbers that do not fit are handled")]
fn integer(number: &Number) -> Option<i64> {
    const END: f64 = 9_223_372_036_854_775_808.0;
    number.as_i64().or_else(|| {
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        Some(if (-END..END).contains(&float) { float as i64 } else { i64::MIN })
    })
}

/// Converts the number of an int-or-string. Go writes it as JSON and reads the text as an `int32`, so `5.0` is 5, and a
/// number that does not fit gets the JSON decoder's message.
fn int32(number: &Number) -> Result<i32, String> {
    let written = match number.as_f64() {
        Some(float) if !number.is_i64() => go_json::float_text(float),
        _ => number.to_string(),
    };
    written.parse().map_err(|_| format!("json: cannot unmarshal number {written} into Go value of type int32"))
}

#[expect(clippy::cast_possible_truncation, reason = "as Go")]
fn low_bits(number: i64) -> i32 {
    number as i32
}

/// Converts an item of a list to a byte.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as Go, the lower bits")]
fn byte(item: &Value) -> Result<u8, String> {
    match item {
        Value::Null => Ok(0),
        Value::Number(number) => match integer(number) {
            Some(whole) => Ok(whole as u8),
            None => Err("cannot convert float64 to uint8".into()),
        },
        _ => Err("unrecognized type: uint8".into()),
    }
}

/// Checks a value of a type that parses its own JSON, such as a time or a quantity. The value keeps its form here; the
/// decoder normalizes it later.
fn check_own(kind: &FieldType, value: &Value) -> Result<(), String> {
    let misfit =
        |of_type: &str| Err(format!("json: cannot unmarshal {} into Go value of type {of_type}", json_type(value)));
    match (kind, value) {
        (FieldType::Time, Value::String(text)) => time(text).map(drop),
        (FieldType::MicroTime, Value::String(text)) => micro_time(text).map(drop),
        (FieldType::Time | FieldType::MicroTime, _) => misfit("string"),
        (FieldType::Quantity, _) => quantity(value).map(drop),
        (FieldType::IntOrString, Value::String(_)) => Ok(()),
        (FieldType::IntOrString, _) => misfit("int32"),
        _ => Ok(()),
    }
}

/// Returns the Go kind of a value that came from JSON.
fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// Each message is that of the real API server.
    #[test]
    fn a_value_of_the_wrong_type_gets_the_converters_message() {
        for (mut service, message) in [
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
            assert_eq!(from_map("Service", &mut service, &Value::Null).unwrap_err(), message, "{service}");
        }
        let schema = json!({"properties": {"a": {"items": {"properties": {"b": {"type": []}}}}}});
        let mut definition = json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}});
        let message =
            "json: cannot unmarshal array into Go struct field JSONSchemaProps.properties.type of type string";
        assert_eq!(from_map("CustomResourceDefinition", &mut definition, &Value::Null).unwrap_err(), message);
        let mut list = json!({"items": [5]});
        let message = "json: cannot unmarshal number into Go value of type v1.JSONSchemaProps";
        assert_eq!(from_map("JSONSchemaProps", &mut list, &Value::Null).unwrap_err(), message);
        let mut whole = json!({"items": {"maxLength": 5.0}});
        assert_eq!(from_map("JSONSchemaProps", &mut whole, &Value::Null), Ok(()));
        let mut service = json!({"kind": "Service", "metadata": {"name": null}, "spec": {"ports": [{"port": 1.0}]}});
        assert_eq!(from_map("Service", &mut service, &Value::Null), Ok(()));
        assert_eq!(service["spec"]["ports"][0]["port"].as_i64(), Some(1));
    }

    /// Upstream: `fromUnstructured` converts by `reflect.Value.Convert`, which refuses no number for its size.
    #[test]
    fn a_whole_number_becomes_an_integer_of_its_type() {
        for (number, generation, port) in [
            (json!(1.0), 1, 1),
            (json!(1e30), i64::MIN, 0),
            (json!(9_223_372_036_854_775_808_u64), i64::MIN, 0),
            (json!(4_294_967_297_i64), 4_294_967_297, 1),
        ] {
            let mut service = json!({"metadata": {"generation": number}, "spec": {"ports": [{"port": number}]}});
            assert_eq!(from_map("Service", &mut service, &Value::Null), Ok(()));
            let expected = json!({"metadata": {"generation": generation}, "spec": {"ports": [{"port": port}]}});
            assert_eq!(service, expected, "{number}");
        }
    }

    /// Upstream: `TypeReflectCacheEntry.FromUnstructured` writes the number as JSON, and `IntOrString.UnmarshalJSON`
    /// reads it.
    #[test]
    fn a_float_is_a_port_only_without_a_fraction() {
        let ports = |port: Value| json!({"spec": {"ports": [{"targetPort": port}]}});
        for (port, expected) in [(json!(5.0), json!(5)), (json!("http"), json!("http")), (json!(-0.0), json!(0))] {
            let mut service = ports(port);
            assert_eq!(from_map("Service", &mut service, &Value::Null), Ok(()));
            assert_eq!(service, ports(expected));
        }
        for (port, written) in [
            (json!(5.5), "number 5.5"),
            (json!(3_000_000_000_i64), "number 3000000000"),
            (json!(1e20), "number 100000000000000000000"),
            (json!(1e21), "number 1e+21"),
            (json!(1e-7), "number 1e-7"),
            (json!(true), "bool"),
        ] {
            let message = format!("json: cannot unmarshal {written} into Go value of type int32");
            assert_eq!(from_map("Service", &mut ports(port), &Value::Null), Err(message));
        }
    }

    #[test]
    fn bytes_may_be_a_list_of_numbers() {
        let mut secret = json!({"data": {"a": [104, 105, null, 257]}});
        assert_eq!(from_map("Secret", &mut secret, &Value::Null), Ok(()));
        assert_eq!(secret["data"]["a"], "aGkAAQ==");
        for (item, message) in
            [(json!("x"), "unrecognized type: uint8"), (json!(1.5), "cannot convert float64 to uint8")]
        {
            assert_eq!(from_map("Secret", &mut json!({"data": {"a": [item]}}), &Value::Null).unwrap_err(), message);
        }
    }
}
