//! A value as a rule sees it. Upstream: apiserver's `pkg/cel/common/values.go`.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, Program, Value as Cel};
use serde_json::Value;

use super::Number;
use crate::codec::structural::Structural;
use crate::codec::structural::number::truncated;
use crate::machinery::cel::RESERVED;

/// A value under its schema: what the schema does not know is not seen, a number is of the schema's type, and some formats of texts
/// are types of their own. Of a resource the names are seen.
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
            Cel::List(Arc::new(items.iter().map(item).collect()))
        }
        Value::Object(fields) => {
            let mut map = HashMap::with_capacity(fields.len());
            for (name, value) in fields {
                let seen = match (schema.properties.get(name), schema.additional()) {
                    _ if is_resource && matches!(name.as_str(), "apiVersion" | "kind") => {
                        Some((name.clone(), plain(value)))
                    }
                    _ if is_resource && name == "metadata" => Some((name.clone(), names(value))),
                    (Some(schema), _) => Some((escaped(name), of(schema, value, schema.is_embedded_resource))),
                    (None, Some(schema)) => Some((name.clone(), of(schema, value, schema.is_embedded_resource))),
                    (None, None) if schema.preserves_unknown_fields => Some((escaped(name), plain(value))),
                    (None, None) => None,
                };
                map.extend(seen.map(|(name, value)| (Key::String(Arc::new(name)), value)));
            }
            Cel::Map(Map { map: Arc::new(map) })
        }
    }
}

/// A value without a schema.
fn plain(value: &Value) -> Cel {
    static ANY: LazyLock<Structural> =
        LazyLock::new(|| Structural { preserves_unknown_fields: true, ..Structural::default() });
    of(&ANY, value, false)
}

/// The metadata that rules may see.
fn names(metadata: &Value) -> Cel {
    let seen = ["name", "generateName"].into_iter().filter_map(|name| Some((name, metadata.get(name)?)));
    let map = seen.map(|(name, value)| (Key::String(Arc::new(name.into())), plain(value))).collect();
    Cel::Map(Map { map: Arc::new(map) })
}

fn number(schema: &Structural, value: &Value) -> Cel {
    match (Number::of(value), schema.kind.as_str()) {
        (Some(number), "number") => Cel::Float(number.to_f64()),
        (Some(Number::Float(float)), "integer") => Cel::Int(truncated(float)),
        (Some(Number::Float(float)), _) => Cel::Float(float),
        (Some(Number::Int(int)), _) => Cel::Int(int),
        (None, _) => Cel::Null,
    }
}

static TIMESTAMP: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("timestamp(text)").ok());
static DURATION: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("duration(text)").ok());

fn text(schema: &Structural, text: &str) -> Cel {
    let typed = match schema.checked_format() {
        "date" => converted(&TIMESTAMP, format!("{text}T00:00:00Z")),
        "date-time" | "datetime" => converted(&TIMESTAMP, text.into()),
        "duration" => converted(&DURATION, text.into()),
        "byte" => STANDARD.decode(text).ok().map(|bytes| Cel::Bytes(Arc::new(bytes))),
        _ => None,
    };
    typed.unwrap_or_else(|| Cel::String(Arc::new(text.into())))
}

/// A text as the language itself converts it.
fn converted(with: &Option<Program>, text: String) -> Option<Cel> {
    let mut context = Context::default();
    context.add_variable_from_value("text", text);
    with.as_ref()?.execute(&context).ok()
}

/// The name of a field in the language. Upstream: apiserver's `pkg/cel/escaping.go`.
fn escaped(name: &str) -> String {
    if RESERVED.contains(&name) {
        return format!("__{name}__");
    }
    let escaped = name.replace("__", "__underscores__");
    escaped.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__")
}
