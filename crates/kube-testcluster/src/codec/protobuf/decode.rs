//! Decodes protobuf into JSON values.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Number, Value, json};

use super::MAGIC;
use crate::codec::schema::{self, Kind, Struct};

/// Decodes an object with its envelope, kind and apiVersion. `kind` is used if the envelope names none.
///
/// # Errors
/// What is wrong with the bytes.
pub(crate) fn decode(body: &[u8], kind: &'static str) -> Result<Value, String> {
    let envelope = body
        .strip_prefix(MAGIC)
        .ok_or("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")?;
    let (mut found, mut version, mut object) = (String::new(), String::new(), &[][..]);
    for field in WireFields(envelope) {
        match field? {
            (1, Wire::Bytes(names)) => {
                for field in WireFields(names) {
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
    // A body of another kind will be refused, so it need not be decoded.
    let mut value = if found.is_empty() || found == kind { read(schema::find(kind), object)? } else { Map::new() };
    value.insert("kind".into(), found.into());
    value.insert("apiVersion".into(), version.into());
    Ok(value.into())
}

fn read(row: &'static Struct, bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let mut object = Map::new();
    for field in WireFields(bytes) {
        let (number, wire) = field?;
        let Some(field) = row.fields.iter().find(|field| field.number == number) else { continue };
        match (&field.kind, wire) {
            (Kind::Struct(embedded), Wire::Bytes(bytes)) if field.name.is_empty() => {
                object.extend(read(schema::find(embedded), bytes)?);
            }
            (Kind::List(inner), wire) => {
                let item = value(inner, wire)?;
                if let Value::Array(list) = object.entry(field.name).or_insert_with(|| json!([])) {
                    list.push(item);
                }
            }
            (Kind::Map(inner), Wire::Bytes(entry)) => {
                let (mut key, mut item) = (String::new(), schema::zero(inner));
                for field in WireFields(entry) {
                    match field? {
                        (1, Wire::Bytes(text)) => key = utf8(text)?,
                        (2, wire) => item = value(inner, wire)?,
                        _ => {}
                    }
                }
                let map = object.entry(field.name).or_insert_with(|| json!({}));
                map[key] = item;
            }
            (kind, wire) => drop(object.insert(field.name.into(), value(kind, wire)?)),
        }
    }
    Ok(object)
}

fn value(kind: &Kind, wire: Wire<'_>) -> Result<Value, String> {
    Ok(match (kind, wire) {
        (Kind::Pointer(inner), wire) => value(inner, wire)?,
        (Kind::Text, Wire::Bytes(text)) => utf8(text)?.into(),
        (Kind::Bool, Wire::Varint(number)) => (number != 0).into(),
        (Kind::Integer(_), Wire::Varint(number)) => Number::from(number.cast_signed()).into(),
        (Kind::Bytes, Wire::Bytes(bytes)) => STANDARD.encode(bytes).into(),
        (Kind::Struct(name), Wire::Bytes(bytes)) => read(schema::find(name), bytes)?.into(),
        (Kind::Time | Kind::MicroTime, Wire::Bytes(bytes)) => {
            let (mut seconds, mut nanos) = (0, 0);
            for field in WireFields(bytes) {
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
        (Kind::Quantity | Kind::Raw, Wire::Bytes(bytes)) => {
            let text = WireFields(bytes).find_map(|field| match field {
                Ok((1, Wire::Bytes(text))) => Some(utf8(text)),
                _ => None,
            });
            let text = text.transpose()?.unwrap_or_default();
            match kind {
                Kind::Raw if text.is_empty() => Value::Null,
                Kind::Raw => serde_json::from_str(&text).map_err(|error| error.to_string())?,
                _ => text.into(),
            }
        }
        (Kind::IntOrString, Wire::Bytes(bytes)) => {
            let (mut is_text, mut number, mut text) = (false, 0, String::new());
            for field in WireFields(bytes) {
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

fn utf8(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "proto: invalid UTF-8".into())
}

/// The value of one field in the wire format.
#[derive(Clone, Copy, Debug)]
enum Wire<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message.
struct WireFields<'a>(&'a [u8]);

impl<'a> WireFields<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok()?;
        let wire = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (bytes, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                Wire::Bytes(bytes)
            }
            _ => return None, // no type of Kubernetes has fixed-width fields
        };
        Some((number, wire))
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<(u32, Wire<'a>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or_else(|| "unexpected EOF".into()))
    }
}
