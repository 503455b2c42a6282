//! A JSON schema, or what can stand in its place: types that read their JSON themselves. Upstream: `marshal.go` of
//! `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1`.

use super::decode::Decoder;
use super::misfit::FieldPath;
use super::{Kind, find};
use crate::codec::json::Json;
use crate::value::Value;

/// What can stand in the place of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// Whether any value is allowed.
    Bool,
    /// A schema for each item of a list.
    Schemas,
    /// The names of fields.
    Texts,
}

/// The type of a schema.
pub(super) const SCHEMA: &str = "JSONSchemaProps";

impl Other {
    /// The name of the type in Go.
    pub(super) fn go_name(self) -> &'static str {
        match self {
            Self::Bool => "JSONSchemaPropsOrBool",
            Self::Schemas => "JSONSchemaPropsOrArray",
            Self::Texts => "JSONSchemaPropsOrStringArray",
        }
    }

    /// The type of what stands there instead, if that is a list.
    pub(crate) fn items(self) -> Option<Kind> {
        match self {
            Self::Bool => None,
            Self::Schemas => Some(Kind::Struct(SCHEMA)),
            Self::Texts => Some(Kind::Text),
        }
    }

    /// What Go makes of a value that is neither a schema nor the other one: it writes nothing, or refuses it.
    fn neither(self) -> Result<Value, String> {
        match self {
            Self::Bool => Err("boolean or JSON schema expected".to_owned()),
            Self::Schemas | Self::Texts => Ok(Value::Null),
        }
    }
}

/// Such a type reads its JSON by a decoder of its own that is not strict, so that nothing is told of unknown fields in it.
/// `inside` is the struct that has the value, if that is decoded too.
pub(super) fn schema_or(
    other: Other,
    value: Json,
    at: &FieldPath<'_>,
    inside: Option<&'static str>,
) -> Result<Value, String> {
    let row = find(SCHEMA);
    apart(inside, |decoder| match (other, value) {
        (_, Json::Object(fields)) => decoder.object(row, fields, None, at),
        (Other::Bool, Json::Bool(allowed)) => Ok(allowed.into()),
        (_, Json::Array(items)) if items.is_empty() => other.neither(),
        (_, Json::Array(items)) => match other.items() {
            Some(kind) => decoder.value(&Kind::List(Box::new(kind)), Json::Array(items), None, row, at),
            None => other.neither(),
        },
        _ => other.neither(),
    })
}

/// What [`schema_or`] makes of the same value.
pub(super) fn conform_schema_or(
    other: Other,
    value: &mut Value,
    before: &Value,
    at: &FieldPath<'_>,
    inside: Option<&'static str>,
) -> Result<(), String> {
    let row = find(SCHEMA);
    apart(inside, |decoder| {
        match (other, &mut *value) {
            (_, Value::Object(fields)) => decoder.conform_struct(row, fields, before, at)?,
            (Other::Bool, Value::Bool(_)) => {}
            (_, Value::Array(items)) if !items.is_empty() => match other.items() {
                Some(kind) => decoder.conform_value(&Kind::List(Box::new(kind)), value, before, row, at)?,
                None => *value = other.neither()?,
            },
            _ => *value = other.neither()?,
        }
        Ok(())
    })
}

/// Reads with a decoder of its own, which tells at its end what does not fit.
fn apart<T>(inside: Option<&'static str>, read: impl FnOnce(&mut Decoder) -> Result<T, String>) -> Result<T, String> {
    let mut decoder = Decoder { inside, ..Decoder::default() };
    let read = read(&mut decoder)?;
    decoder.misfit.map_or(Ok(read), Err)
}
