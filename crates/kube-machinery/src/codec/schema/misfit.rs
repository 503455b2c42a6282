//! What Go says of a value that does not fit its type, and where it is.

use std::fmt;

use super::schema_or::SCHEMA;
use super::{Kind, Struct, find};
use crate::codec::json::Json;

/// The path of the field that is being decoded. It becomes text only for a message.
pub(super) enum FieldPath<'a> {
    Top,
    /// A field of a struct.
    Field(&'a FieldPath<'a>, &'a str, &'static Struct),
    /// A key of a map, which is no part of the path in Go's messages about types.
    Key(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl FieldPath<'_> {
    /// The names of the fields on the path with those of embedded structs, without the numbers of items.
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

    /// How many objects and lists are around the value at this path.
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

/// `inside` is the struct that is told in the place of the value's own.
pub(super) fn misfit(
    kind: &Kind,
    value: &Json,
    row: &'static Struct,
    inside: Option<&str>,
    at: &FieldPath<'_>,
) -> String {
    let word = match (kind, value) {
        (Kind::Integer(_) | Kind::Float | Kind::IntOrString, Json::Number(number)) => format!("number {number}"),
        _ => value.type_name().to_owned(),
    };
    let named = match at {
        FieldPath::Field(_, field, _) => named_type(row, field),
        FieldPath::Item(FieldPath::Field(_, field, _), _) => {
            named_type(row, field).and_then(|named| named.strip_prefix("[]"))
        }
        _ => None,
    };
    told(&word, &named.map_or_else(|| go_name(kind, row), ToOwned::to_owned), inside.unwrap_or(row.name), at)
}

pub(super) fn told(word: &str, of_type: &str, of_struct: &str, at: &FieldPath<'_>) -> String {
    let path = at.fields().join(".");
    let place = if path.is_empty() { "value".to_owned() } else { format!("struct field {of_struct}.{path}") };
    format!("json: cannot unmarshal {word} into Go {place} of type {of_type}")
}

/// The type of a field that has a name of its own in Go.
fn named_type(row: &'static Struct, field: &str) -> Option<&'static str> {
    row.field(field).and_then(|field| field.named)
}

fn go_name(kind: &Kind, row: &'static Struct) -> String {
    match kind {
        Kind::Text => "string".into(),
        Kind::Bool => "bool".into(),
        Kind::Integer(bits) => format!("int{bits}"),
        Kind::Float => "float64".into(),
        Kind::Bytes => "[]uint8".into(),
        Kind::Time | Kind::MicroTime => "string".into(), // what they read it as
        Kind::Quantity => "resource.Quantity".into(),
        Kind::IntOrString => "int32".into(), // unless it is a text
        Kind::Raw if row.name == SCHEMA => "v1.JSON".into(),
        Kind::Raw => "runtime.RawExtension".into(),
        Kind::SchemaOr(other) => format!("v1.{}", other.go_name()),
        Kind::Struct(name) => format!("v1.{}", find(name).name),
        Kind::Pointer(inner) => go_name(inner, row),
        Kind::List(inner) => format!("[]{}", go_name(inner, row)),
        Kind::Map(inner) => format!("map[string]{}", go_name(inner, row)),
    }
}
