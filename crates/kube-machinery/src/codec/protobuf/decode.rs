//! Decodes request bodies in Kubernetes' protobuf into JSON values. There is no generated code: the table of Go types
//! has the field numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;

use super::MAGIC;
use crate::codec::depth::{MOST_LEVELS, TOO_DEEP};
use crate::codec::schema::{self, Alternative, FieldType, Struct};
use crate::conventions::varint;
use crate::value::{Map, Number, Value, json};

/// Decodes an object with its envelope, including kind and apiVersion. The type is that of `kind` in `api_version`,
/// also if the envelope names no kind.
///
/// # Errors
/// Upstream's message about malformed bytes.
pub fn decode(body: &[u8], kind: &str, api_version: &str) -> Result<Value, String> {
    if body.is_empty() {
        return Err("empty data".to_owned());
    }
    let envelope = body
        .strip_prefix(MAGIC)
        .ok_or("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")?;
    if envelope.is_empty() {
        return Err("empty body".to_owned());
    }
    let (mut found, mut version, mut object) = (String::new(), String::new(), &[][..]);
    for field in WireFields::named(envelope, &["TypeMeta", "Raw", "ContentEncoding", "ContentType"]) {
        match field? {
            (1, Wire::Bytes(names)) => {
                for field in WireFields::named(names, &["APIVersion", "Kind"]) {
                    match field? {
                        (1, Wire::Bytes(text)) => version = utf8(text)?,
                        (2, Wire::Bytes(text)) => found = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => object = bytes,
            _ => {}
        }
    }
    let row = || schema::find(schema::type_of(kind, api_version));
    // A body that names another kind is refused later, so it need not be decoded.
    let mut value = if found.is_empty() || found == kind { read(row(), object, MOST_LEVELS)? } else { Map::new() };
    value.insert("kind".into(), found.into());
    value.insert("apiVersion".into(), version.into());
    Ok(value.into())
}

/// Decodes a message, which may have this many levels: types can contain themselves.
fn read(row: &'static Struct, bytes: &[u8], levels: usize) -> Result<Map, String> {
    let levels = levels.checked_sub(1).ok_or(TOO_DEEP)?;
    let mut object = Map::new();
    for field in WireFields::of(bytes) {
        let (number, wire) = field?;
        let Some(field) = row.fields.iter().find(|field| field.number == number) else { continue };
        match (&field.kind, wire) {
            (FieldType::Struct(embedded), Wire::Bytes(bytes)) if field.name.is_empty() => {
                object.extend(read(schema::find(embedded), bytes, levels)?);
            }
            (FieldType::List(inner), wire) => {
                let item = value(inner, wire, levels)?;
                if let Value::Array(list) = object.entry(field.name).or_insert_with(|| json!([])) {
                    list.push(item);
                }
            }
            (FieldType::Map(inner), Wire::Bytes(entry)) => {
                let (mut key, mut item) = (String::new(), schema::zero(inner));
                for field in WireFields::of(entry) {
                    match field? {
                        (1, Wire::Bytes(text)) => key = utf8(text)?,
                        (2, wire) => item = value(inner, wire, levels)?,
                        _ => {}
                    }
                }
                let map = object.entry(field.name).or_insert_with(|| json!({}));
                map[key] = item;
            }
            (kind, wire) => drop(object.insert(field.name.into(), value(kind, wire, levels)?)),
        }
    }
    Ok(object)
}

/// Converts a value on the wire to its type. `levels` is the number of levels that it may have.
fn value(kind: &FieldType, wire: Wire<'_>, levels: usize) -> Result<Value, String> {
    Ok(match (kind, wire) {
        (FieldType::Pointer(inner), wire) => value(inner, wire, levels)?,
        (FieldType::Text, Wire::Bytes(text)) => utf8(text)?.into(),
        (FieldType::Bool, Wire::Varint(number)) => (number != 0).into(),
        (FieldType::Integer(_), Wire::Varint(number)) => Number::from(number.cast_signed()).into(),
        (FieldType::Bytes, Wire::Bytes(bytes)) => STANDARD.encode(bytes).into(),
        // A map in protobuf cannot hold lists, so upstream wraps a list in a message (`ExtraValue`).
        (FieldType::List(inner), Wire::Bytes(bytes)) => {
            let mut items = Vec::new();
            for field in WireFields::of(bytes) {
                if let (1, wire) = field? {
                    items.push(value(inner, wire, levels)?);
                }
            }
            items.into()
        }
        (FieldType::Struct(name), Wire::Bytes(bytes)) => read(schema::find(name), bytes, levels)?.into(),
        (FieldType::SchemaOr(other), Wire::Bytes(bytes)) => schema_or(*other, bytes, levels)?,
        (FieldType::Float, Wire::Double(number)) => {
            Number::from_f64(number).map_or(Value::Null, |number| schema::float(&number).into())
        }
        (FieldType::Time | FieldType::MicroTime, Wire::Bytes(bytes)) => {
            let (mut seconds, mut nanos) = (0, 0);
            for field in WireFields::of(bytes) {
                match field? {
                    (1, Wire::Varint(number)) => seconds = number.cast_signed(),
                    (2, Wire::Varint(number)) => nanos = i32::try_from(number).unwrap_or_default(),
                    _ => {}
                }
            }
            if bytes.is_empty() {
                return Ok(Value::Null); // an unset time
            }
            Timestamp::new(seconds, nanos).map_err(|error| error.to_string())?.to_string().into()
        }
        (FieldType::Quantity | FieldType::Raw, Wire::Bytes(bytes)) => {
            let text = WireFields::of(bytes).find_map(|field| match field {
                Ok((1, Wire::Bytes(text))) => Some(utf8(text)),
                _ => None,
            });
            let text = text.transpose()?.unwrap_or_default();
            match kind {
                FieldType::Raw if text.is_empty() => Value::Null,
                FieldType::Raw => serde_json::from_str(&text).map_err(|error| error.to_string())?,
                _ => text.into(),
            }
        }
        (FieldType::IntOrString, Wire::Bytes(bytes)) => {
            let (mut is_text, mut number, mut text) = (false, 0, String::new());
            for field in WireFields::of(bytes) {
                match field? {
                    (1, Wire::Varint(kind)) => is_text = kind == 1,
                    (2, Wire::Varint(found)) => number = found.cast_signed(),
                    (3, Wire::Bytes(found)) => text = utf8(found)?,
                    _ => {}
                }
            }
            if is_text { text.into() } else { number.into() }
        }
        _ => return Err("proto: wrong wireType".into()),
    })
}

/// Decodes a schema or its alternative. If the alternative is a boolean, it is field 1 and the schema is field 2;
/// otherwise the schema is field 1 and the items of the alternative are field 2.
fn schema_or(other: Alternative, bytes: &[u8], levels: usize) -> Result<Value, String> {
    let schema = if other == Alternative::Bool { 2 } else { 1 };
    let (mut of_schema, mut instead) = (Value::Null, Value::Null);
    for field in WireFields::of(bytes) {
        match (field?, other.items()) {
            ((number, Wire::Bytes(bytes)), _) if number == schema => {
                of_schema = read(schema::find("JSONSchemaProps"), bytes, levels)?.into()
            }
            ((2, wire), Some(kind)) => {
                let item = value(&kind, wire, levels)?;
                match &mut instead {
                    Value::Array(items) => items.push(item),
                    _ => instead = json!([item]),
                }
            }
            ((1, Wire::Varint(allowed)), None) => instead = (allowed != 0).into(),
            _ => {}
        }
    }
    Ok(match (other, instead) {
        (Alternative::Bool, instead) if of_schema.is_null() => (instead == true).into(),
        (Alternative::Schemas | Alternative::Texts, instead @ Value::Array(_)) => instead,
        _ => of_schema,
    })
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "proto: invalid UTF-8".into())
}

/// The value of one field in the wire format.
#[derive(Clone, Copy, Debug)]
enum Wire<'a> {
    Varint(u64),
    /// A value of four bytes, which no type of Kubernetes uses.
    Fixed,
    Double(f64),
    Bytes(&'a [u8]),
}

struct WireFields<'a> {
    rest: &'a [u8],
    /// The Go names of the fields from number 1 on, for error messages, if all of them are texts or messages.
    names: &'static [&'static str],
}

impl<'a> WireFields<'a> {
    fn named(bytes: &'a [u8], names: &'static [&'static str]) -> Self {
        Self { rest: bytes, names }
    }

    fn of(bytes: &'a [u8]) -> Self {
        Self::named(bytes, &[])
    }

    fn varint(&mut self) -> Result<u64, String> {
        varint::read(&mut self.rest).map_err(ToOwned::to_owned)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or("unexpected EOF")?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or("unexpected EOF")?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Reads the next field, with upstream's checks in their order. Upstream: `Unmarshal` of any type in
    /// `generated.pb.go`.
    fn field(&mut self) -> Result<(u32, Wire<'a>), String> {
        let tag = self.varint()?;
        let wire_type = tag & 7;
        let number = u32::try_from(tag >> 3).unwrap_or_default();
        if let Some(name) = (number as usize).checked_sub(1).and_then(|at| self.names.get(at))
            && wire_type != 2
        {
            return Err(format!("proto: wrong wireType = {wire_type} for field {name}"));
        }
        let wire = match wire_type {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Double(f64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
                if i64::try_from(length).is_err() {
                    return Err("proto: negative length found during unmarshaling".to_owned());
                }
                Wire::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Wire::Fixed)?,
            other => return Err(format!("proto: illegal wireType {other}")), // no type of Kubernetes has groups
        };
        Ok((number, wire))
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<(u32, Wire<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}
