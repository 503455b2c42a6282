//! Converts a value of a custom resource to a CEL value. The schema decides the CEL type. Upstream: apiserver's
//! `pkg/cel/common/values.go`.

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Number;
use crate::codec::expression::Value as Cel;
use crate::codec::expression::interpreter::timestamp;
use crate::codec::structural::Structural;
use crate::codec::structural::format::duration;
use crate::conventions::cel_reserved_words::RESERVED;
use crate::value::Value;

/// Converts a value to CEL. Fields that the schema does not name are hidden, numbers get the type of the schema, and
/// strings of some formats get a type such as timestamp or duration. For a resource, kind, apiVersion and the names in
/// the metadata are visible.
pub(super) fn of(schema: &Structural, value: &Value, is_resource: bool) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(bool) => Cel::Bool(*bool),
        Value::Number(_) => number(schema, value),
        Value::String(text) => self::text(schema, text),
        Value::Array(items) => {
            let item = |item| {
                schema
                    .items
                    .as_deref()
                    .map_or_else(|| plain(item), |schema| of(schema, item, schema.is_embedded_resource))
            };
            Cel::list(items.iter().map(item).collect())
        }
        Value::Object(fields) => {
            let seen = fields.iter().filter_map(|(name, value)| {
                Some(match (schema.properties.get(name.as_str()), schema.additional()) {
                    _ if is_resource && matches!(name.as_str(), "apiVersion" | "kind") => {
                        (name.as_str().into(), plain(value))
                    }
                    _ if is_resource && name == "metadata" => (name.as_str().into(), names(value)),
                    (Some(schema), _) => (escaped(name).into(), of(schema, value, schema.is_embedded_resource)),
                    (None, Some(schema)) => (name.as_str().into(), of(schema, value, schema.is_embedded_resource)),
                    (None, None) if schema.preserves_unknown_fields => (escaped(name).into(), plain(value)),
                    (None, None) => return None,
                })
            });
            seen.collect()
        }
    }
}

/// Converts a value without a schema.
fn plain(value: &Value) -> Cel {
    static ANY: LazyLock<Structural> =
        LazyLock::new(|| Structural { preserves_unknown_fields: true, ..Structural::default() });
    let is_resource = false;
    of(&ANY, value, is_resource)
}

/// Converts only the metadata fields that rules may use.
fn names(metadata: &Value) -> Cel {
    let seen = ["name", "generateName"].into_iter().filter_map(|name| Some((name, metadata.get(name)?)));
    seen.map(|(name, value)| (name.into(), plain(value))).collect()
}

/// Converts a number. A number with a point or an exponent, such as `1.0`, is no int, though the schema accepts it as
/// an integer.
fn number(schema: &Structural, value: &Value) -> Cel {
    match (Number::of(value), schema.kind.as_str()) {
        (Some(number), "number") => Cel::Double(number.to_f64()),
        (Some(Number::Int(int)), _) => Cel::Int(int),
        (Some(Number::Float(_)), _) if schema.is_int_or_string => {
            Cel::Invalid("invalid data, expected XIntOrString value to be either a string or integer")
        }
        (Some(Number::Float(_)), "integer") => Cel::Invalid("invalid data, expected int, got float64"),
        (Some(Number::Float(float)), _) => Cel::Double(float),
        (None, _) => Cel::Null,
    }
}

fn text(schema: &Structural, text: &str) -> Cel {
    let typed = match schema.checked_format() {
        "date" => timestamp(&format!("{text}T00:00:00Z")),
        "date-time" | "datetime" => timestamp(text),
        "duration" => duration(text).map(Cel::Duration),
        "byte" => STANDARD.decode(text).ok().map(|bytes| Cel::Bytes(bytes.into())),
        _ => None,
    };
    typed.unwrap_or_else(|| Cel::text(text))
}

/// Returns the name of a field in CEL, where reserved words and characters such as `-` need an escape. Upstream:
/// apiserver's `pkg/cel/escaping.go`.
fn escaped(name: &str) -> String {
    if RESERVED.contains(&name) {
        return format!("__{name}__");
    }
    let escaped = name.replace("__", "__underscores__");
    escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__")
}
