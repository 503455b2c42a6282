//! Decodes the fields of a JSON schema that hold either a schema or something else (the alternative):
//! `additionalProperties` may be a boolean, `items` a list of schemas. Their Go types parse their own JSON, with errors
//! of their own.
//!
//! Upstream: `marshal.go` of `k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1`.

use super::decode::Decoder;
use super::type_error::FieldPath;
use super::{FieldType, find};
use crate::codec::json::Json;
use crate::value::Value;

/// The alternative to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// A boolean: true allows any value.
    Bool,
    /// A list with a schema for each item.
    Schemas,
    /// A list of field names.
    Texts,
}

pub(super) const SCHEMA: &str = "JSONSchemaProps";

impl Alternative {
    pub(super) fn go_name(self) -> &'static str {
        match self {
            Self::Bool => "JSONSchemaPropsOrBool",
            Self::Schemas => "JSONSchemaPropsOrArray",
            Self::Texts => "JSONSchemaPropsOrStringArray",
        }
    }

    /// Returns the type of the alternative's items, if it is a list.
    pub(crate) fn items(self) -> Option<FieldType> {
        match self {
            Self::Bool => None,
            Self::Schemas => Some(FieldType::Struct(SCHEMA)),
            Self::Texts => Some(FieldType::Text),
        }
    }

    /// Returns Go's result for a value that is neither a schema nor the alternative: an error for a boolean, otherwise
    /// null.
    fn neither(self) -> Result<Value, String> {
        match self {
            Self::Bool => Err("boolean or JSON schema expected".to_owned()),
            Self::Schemas | Self::Texts => Ok(Value::Null),
        }
    }
}

/// Decodes a schema or its alternative. As in Go, a separate decoder reads the value. This decoder is not strict, so
/// unknown fields inside of the value are not reported. `inside` is the struct around the value, if that struct is
/// decoded too.
pub(super) fn schema_or(
    alternative: Alternative,
    value: Json,
    at: &FieldPath<'_>,
    inside: Option<&'static str>,
) -> Result<Value, String> {
    let row = find(SCHEMA);
    decode_apart(inside, |decoder| match (alternative, value) {
        (_, Json::Object(fields)) => decoder.object(row, fields, None, at),
        (Alternative::Bool, Json::Bool(allowed)) => Ok(allowed.into()),
        // Go takes an empty list for no value.
        (_, Json::Array(items)) if items.is_empty() => alternative.neither(),
        (_, Json::Array(items)) => match alternative.items() {
            Some(kind) => decoder.value(&FieldType::List(Box::new(kind)), Json::Array(items), None, row, at),
            None => alternative.neither(),
        },
        _ => alternative.neither(),
    })
}

/// Does in place what [`schema_or`] does to the same value.
pub(super) fn conform_schema_or(
    alternative: Alternative,
    value: &mut Value,
    before: &Value,
    at: &FieldPath<'_>,
    inside: Option<&'static str>,
) -> Result<(), String> {
    let row = find(SCHEMA);
    decode_apart(inside, |decoder| {
        match (alternative, &mut *value) {
            (_, Value::Object(fields)) => decoder.conform_struct(row, fields, before, at)?,
            (Alternative::Bool, Value::Bool(_)) => {}
            (_, Value::Array(items)) if !items.is_empty() => match alternative.items() {
                Some(kind) => decoder.conform_value(&FieldType::List(Box::new(kind)), value, before, row, at)?,
                None => *value = alternative.neither()?,
            },
            _ => *value = alternative.neither()?,
        }
        Ok(())
    })
}

/// Runs a separate decoder, and returns its first misfit as an error.
fn decode_apart<T>(
    inside: Option<&'static str>,
    read: impl FnOnce(&mut Decoder) -> Result<T, String>,
) -> Result<T, String> {
    let mut decoder = Decoder { inside, ..Decoder::default() };
    let read = read(&mut decoder)?;
    decoder.misfit.map_or(Ok(read), Err)
}
