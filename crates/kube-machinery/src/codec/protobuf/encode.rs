//! Encodes answers and watch events as Kubernetes' protobuf. There is no generated code: objects are JSON values, and
//! the table of Go types has the field numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;

use super::MAGIC;
use crate::codec::schema::{self, Alternative, FieldType, Struct, type_of};
use crate::conventions::varint;
use crate::value::Value;

// The wire types of protobuf.
const VARINT: u8 = 0;
const DOUBLE: u8 = 1;
const BYTES: u8 = 2;

/// Encodes an object, a list or a Status, with kind and apiVersion in the envelope.
pub fn encode(object: &Value) -> Vec<u8> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let mut names = Vec::new();
    text_field(&mut names, 1, text("apiVersion"));
    text_field(&mut names, 2, text("kind"));
    let mut envelope = MAGIC.to_vec();
    bytes_field(&mut envelope, 1, &names);
    bytes_field(&mut envelope, 2, &raw(type_of(text("kind"), text("apiVersion")), object));
    // The content encoding and the content type, which upstream writes as empty texts.
    text_field(&mut envelope, 3, "");
    text_field(&mut envelope, 4, "");
    envelope
}

/// Encodes a watch event: its length in four bytes, then its type and the object in an envelope.
pub fn event(kind: &str, object: &Value) -> Vec<u8> {
    let (mut event, mut extension) = (Vec::new(), Vec::new());
    bytes_field(&mut extension, 1, &encode(object));
    text_field(&mut event, 1, kind);
    bytes_field(&mut event, 2, &extension);
    let length = u32::try_from(event.len()).expect("an event is smaller than four gigabytes");
    [length.to_be_bytes().as_slice(), &event].concat()
}

/// Encodes an object or a list without its envelope.
fn raw(kind: &str, object: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match object["items"].as_array() {
        Some(items) => {
            let (of_list, of_item) = list_numbers(object);
            message(&mut out, of_list, schema::find("ListMeta"), &object["metadata"]);
            let version = object["apiVersion"].as_str().unwrap_or_default();
            let row = schema::find(type_of(kind.strip_suffix("List").unwrap_or(kind), version));
            items.iter().for_each(|item| message(&mut out, of_item, row, item));
        }
        // A list whose items are null or absent.
        None if kind.ends_with("List") => {
            message(&mut out, list_numbers(object).0, schema::find("ListMeta"), &object["metadata"]);
        }
        None => fields(&mut out, schema::find(kind), object),
    }
    out
}

/// Returns the field numbers of a list's metadata and items, which `PartialObjectMetadataList` of v1beta1 has
/// swapped.
fn list_numbers(list: &Value) -> (u32, u32) {
    if list["apiVersion"] == "meta.k8s.io/v1beta1" { (2, 1) } else { (1, 2) }
}

/// Writes a struct as a field of this number.
fn message(out: &mut Vec<u8>, number: u32, row: &'static Struct, value: &Value) {
    let mut inner = Vec::new();
    fields(&mut inner, row, value);
    bytes_field(out, number, &inner);
}

/// Writes the fields of a struct. An embedded struct is a field of its own in protobuf.
fn fields(out: &mut Vec<u8>, row: &'static Struct, value: &Value) {
    for field in &row.fields {
        match &field.kind {
            FieldType::Struct(embedded) if field.name.is_empty() => {
                message(out, field.number, schema::find(embedded), value);
            }
            kind => {
                if let Some(value) = value.get(field.name).filter(|value| !value.is_null()) {
                    write(out, field.number, kind, value);
                }
            }
        }
    }
}

fn write(out: &mut Vec<u8>, number: u32, kind: &FieldType, value: &Value) {
    let text = || value.as_str().unwrap_or_default();
    match kind {
        FieldType::Text => text_field(out, number, text()),
        FieldType::Bool => integer_field(out, number, u64::from(value == true)),
        FieldType::Integer(_) => integer_field(out, number, value.as_i64().unwrap_or_default().cast_unsigned()),
        FieldType::Bytes => bytes_field(out, number, &STANDARD.decode(text()).unwrap_or_default()),
        FieldType::Time | FieldType::MicroTime => bytes_field(out, number, &time(text())),
        FieldType::Quantity => {
            let mut inner = Vec::new();
            text_field(&mut inner, 1, text());
            bytes_field(out, number, &inner);
        }
        FieldType::IntOrString => {
            let mut inner = Vec::new();
            integer_field(&mut inner, 1, u64::from(value.is_string()));
            integer_field(&mut inner, 2, value.as_i64().unwrap_or_default().cast_unsigned());
            text_field(&mut inner, 3, text());
            bytes_field(out, number, &inner);
        }
        FieldType::Raw => {
            let mut inner = Vec::new();
            bytes_field(&mut inner, 1, value.to_string().as_bytes());
            bytes_field(out, number, &inner);
        }
        FieldType::Float => {
            tag(out, number, DOUBLE);
            out.extend_from_slice(&value.as_f64().unwrap_or_default().to_le_bytes());
        }
        FieldType::SchemaOr(other) => schema_or(out, number, *other, value),
        FieldType::Struct(name) => message(out, number, schema::find(name), value),
        FieldType::Pointer(inner) => write(out, number, inner, value),
        FieldType::List(inner) => {
            value.as_array().into_iter().flatten().for_each(|item| write(out, number, inner, item))
        }
        FieldType::Map(inner) => {
            for (key, value) in value.as_object().into_iter().flatten() {
                let mut entry = Vec::new();
                text_field(&mut entry, 1, key);
                match **inner {
                    // A map in protobuf cannot hold lists, so upstream wraps a list in a message (`ExtraValue`).
                    FieldType::List(_) => {
                        let mut list = Vec::new();
                        write(&mut list, 1, inner, value);
                        bytes_field(&mut entry, 2, &list);
                    }
                    _ => write(&mut entry, 2, inner, value),
                }
                bytes_field(out, number, &entry);
            }
        }
    }
}

/// Encodes a schema or its alternative. If the alternative is a boolean, it is field 1, which is always written, and
/// the schema is field 2; otherwise the schema is field 1 and the items of the alternative are field 2.
fn schema_or(out: &mut Vec<u8>, number: u32, other: Alternative, value: &Value) {
    let mut inner = Vec::new();
    if other == Alternative::Bool {
        integer_field(&mut inner, 1, u64::from(value != false));
    }
    match (value, other.items()) {
        (Value::Object(_), _) => {
            message(&mut inner, if other == Alternative::Bool { 2 } else { 1 }, schema::find("JSONSchemaProps"), value);
        }
        (Value::Array(items), Some(kind)) => items.iter().for_each(|item| write(&mut inner, 2, &kind, item)),
        _ => {}
    }
    bytes_field(out, number, &inner);
}

fn time(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    if let Ok(time) = text.parse::<Timestamp>() {
        integer_field(&mut out, 1, time.as_second().cast_unsigned());
        integer_field(&mut out, 2, i64::from(time.subsec_nanosecond()).cast_unsigned());
    }
    out
}

fn tag(out: &mut Vec<u8>, number: u32, wire: u8) {
    varint::write(out, u64::from(number << 3) | u64::from(wire));
}

fn integer_field(out: &mut Vec<u8>, number: u32, value: u64) {
    tag(out, number, VARINT);
    varint::write(out, value);
}

fn text_field(out: &mut Vec<u8>, number: u32, text: &str) {
    bytes_field(out, number, text.as_bytes());
}

fn bytes_field(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    tag(out, number, BYTES);
    varint::write(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
