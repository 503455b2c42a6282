//! Go's message about a value that does not fit its type, such as `json: cannot unmarshal string into Go struct field
//! PodSpec.spec.containers of type []v1.Container`.

use std::fmt;

use super::schema_or::SCHEMA;
use super::{FieldType, Struct, find};
use crate::codec::json::Json;
use crate::value::Value;

/// The path of the field that is being decoded. It becomes text only when a message needs it.
pub(super) enum FieldPath<'a> {
    Top,
    /// A field: the path of the object that has it, its name, and the struct of that object.
    Field(&'a FieldPath<'a>, &'a str, &'static Struct),
    /// A key of a map, which Go's messages about types leave out of the path.
    Key(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl FieldPath<'_> {
    /// Returns the names of the fields on the path, with the names of embedded structs and without indexes.
    fn fields(&self) -> Vec<&str> {
        match self {
            FieldPath::Top => Vec::new(),
            FieldPath::Field(parent, name, row) => {
                let mut fields = parent.fields();
                fields.extend(row.embedded_around(name).iter().map(|embedded| embedded.name));
                fields.push(name);
                fields
            }
            FieldPath::Item(parent, _) | FieldPath::Key(parent, _) => parent.fields(),
        }
    }

    /// Returns the number of objects and lists around the value at this path.
    pub(super) fn levels(&self) -> usize {
        match self {
            FieldPath::Top => 0,
            FieldPath::Field(parent, ..) | FieldPath::Key(parent, _) | FieldPath::Item(parent, _) => {
                1 + parent.levels()
            }
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPath::Top => Ok(()),
            FieldPath::Field(FieldPath::Top, name, _) => f.write_str(name),
            FieldPath::Field(parent, name, _) | FieldPath::Key(parent, name) => write!(f, "{parent}.{name}"),
            FieldPath::Item(parent, n) => write!(f, "{parent}[{n}]"),
        }
    }
}

/// Returns the message about a value of the wrong type in the struct `row`. `inside` is another struct to name instead.
pub(super) fn field_type_error(
    kind: &FieldType,
    value: &Json,
    row: &'static Struct,
    inside: Option<&str>,
    at: &FieldPath<'_>,
) -> String {
    let word = match (kind, value) {
        (FieldType::Integer(_) | FieldType::Float | FieldType::IntOrString, Json::Number(number)) => {
            format!("number {number}")
        }
        _ => value.type_name().to_owned(),
    };
    let named = match at {
        FieldPath::Field(_, field, _) => named_type(row, field),
        FieldPath::Item(FieldPath::Field(_, field, _), _) => {
            named_type(row, field).and_then(|named| named.strip_prefix("[]"))
        }
        _ => None,
    };
    type_error(&word, &named.map_or_else(|| go_name(kind, row), ToOwned::to_owned), inside.unwrap_or(row.name), at)
}

/// Returns the message. `word` is the JSON type that was found, `of_type` the Go type that was expected.
pub(super) fn type_error(word: &str, of_type: &str, of_struct: &str, at: &FieldPath<'_>) -> String {
    let path = at.fields().join(".");
    let place = if path.is_empty() { "value".to_owned() } else { format!("struct field {of_struct}.{path}") };
    format!("json: cannot unmarshal {word} into Go {place} of type {of_type}")
}

/// Returns the name of a field's type, if Go has a named type for it.
fn named_type(row: &'static Struct, field: &str) -> Option<&'static str> {
    row.field(field).and_then(|field| field.named)
}

/// Returns the name of a type in Go's messages. `row` is the struct around the value.
fn go_name(kind: &FieldType, row: &'static Struct) -> String {
    match kind {
        FieldType::Text => "string".into(),
        FieldType::Bool => "bool".into(),
        FieldType::Integer(bits) => format!("int{bits}"),
        FieldType::Float => "float64".into(),
        FieldType::Bytes => "[]uint8".into(),
        FieldType::Time | FieldType::MicroTime => "string".into(), // the type that Go's `UnmarshalJSON` reads
        FieldType::Quantity => "resource.Quantity".into(),
        FieldType::IntOrString => "int32".into(), // a string would have fit
        FieldType::Raw if row.name == SCHEMA => "v1.JSON".into(),
        FieldType::Raw => "runtime.RawExtension".into(),
        FieldType::SchemaOr(other) => format!("v1.{}", other.go_name()),
        FieldType::Struct(name) => format!("v1.{}", find(name).name),
        FieldType::Pointer(inner) => go_name(inner, row),
        FieldType::List(inner) => format!("[]{}", go_name(inner, row)),
        FieldType::Map(inner) => format!("map[string]{}", go_name(inner, row)),
    }
}

/// Returns the name of a JSON value's type in Go's messages.
pub fn json_type(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(_) => "array".into(),
        Value::Object(_) => "object".into(),
    }
}
