//! Objects in Kubernetes' protobuf envelope, written and read by the table of types.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Number, Value, json};

use super::schema::{self, Kind, Struct};

/// What every body begins with.
const MAGIC: &[u8] = b"k8s\0";

const VARINT: u8 = 0;
const BYTES: u8 = 2;

/// An object with kind and apiVersion (or a list of such, or a Status) in its envelope.
pub(crate) fn encode(object: &Value) -> Vec<u8> {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let mut names = Vec::new();
    text_field(&mut names, 1, text("apiVersion"));
    text_field(&mut names, 2, text("kind"));
    let mut envelope = MAGIC.to_vec();
    bytes_field(&mut envelope, 1, &names);
    bytes_field(&mut envelope, 2, &raw(text("kind"), object));
    text_field(&mut envelope, 3, "");
    text_field(&mut envelope, 4, "");
    envelope
}

/// An event of a watch: four bytes of length, then its type and its object in an envelope.
pub(crate) fn event(kind: &str, object: &Value) -> Vec<u8> {
    let (mut event, mut extension) = (Vec::new(), Vec::new());
    bytes_field(&mut extension, 1, &encode(object));
    text_field(&mut event, 1, kind);
    bytes_field(&mut event, 2, &extension);
    let length = u32::try_from(event.len()).expect("an event is smaller than four gigabytes");
    [length.to_be_bytes().as_slice(), &event].concat()
}

fn raw(kind: &str, object: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match object["items"].as_array() {
        Some(items) => {
            message(&mut out, 1, schema::find("ListMeta"), &object["metadata"]);
            let row = schema::find(kind.strip_suffix("List").unwrap_or(kind));
            items.iter().for_each(|item| message(&mut out, 2, row, item));
        }
        None => fields(&mut out, schema::find(kind), object),
    }
    out
}

fn message(out: &mut Vec<u8>, number: u32, row: &'static Struct, value: &Value) {
    let mut inner = Vec::new();
    fields(&mut inner, row, value);
    bytes_field(out, number, &inner);
}

fn fields(out: &mut Vec<u8>, row: &'static Struct, value: &Value) {
    for field in &row.fields {
        match &field.kind {
            Kind::Struct(embedded) if field.name.is_empty() => {
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

fn write(out: &mut Vec<u8>, number: u32, kind: &Kind, value: &Value) {
    let text = || value.as_str().unwrap_or_default();
    match kind {
        Kind::Text => text_field(out, number, text()),
        Kind::Bool => integer_field(out, number, u64::from(value == true)),
        Kind::Integer(_) => integer_field(out, number, value.as_i64().unwrap_or_default().cast_unsigned()),
        Kind::Bytes => bytes_field(out, number, &STANDARD.decode(text()).unwrap_or_default()),
        Kind::Time | Kind::MicroTime => bytes_field(out, number, &time(text())),
        Kind::Quantity => {
            let mut inner = Vec::new();
            text_field(&mut inner, 1, text());
            bytes_field(out, number, &inner);
        }
        Kind::IntOrString => {
            let mut inner = Vec::new();
            integer_field(&mut inner, 1, u64::from(value.is_string()));
            integer_field(&mut inner, 2, value.as_i64().unwrap_or_default().cast_unsigned());
            text_field(&mut inner, 3, text());
            bytes_field(out, number, &inner);
        }
        Kind::Raw => {
            let mut inner = Vec::new();
            bytes_field(&mut inner, 1, value.to_string().as_bytes());
            bytes_field(out, number, &inner);
        }
        Kind::Struct(name) => message(out, number, schema::find(name), value),
        Kind::Pointer(inner) => write(out, number, inner, value),
        Kind::List(inner) => value.as_array().into_iter().flatten().for_each(|item| write(out, number, inner, item)),
        Kind::Map(inner) => {
            for (key, value) in value.as_object().into_iter().flatten() {
                let mut entry = Vec::new();
                text_field(&mut entry, 1, key);
                write(&mut entry, 2, inner, value);
                bytes_field(out, number, &entry);
            }
        }
    }
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
    varint(out, u64::from(number << 3) | u64::from(wire));
}

fn integer_field(out: &mut Vec<u8>, number: u32, value: u64) {
    tag(out, number, VARINT);
    varint(out, value);
}

fn text_field(out: &mut Vec<u8>, number: u32, text: &str) {
    bytes_field(out, number, text.as_bytes());
}

fn bytes_field(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    tag(out, number, BYTES);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// Reads an object in its envelope, with kind and apiVersion; `kind` is what it is if it does not say.
///
/// # Errors
/// What is wrong with the bytes.
pub(crate) fn decode(body: &[u8], kind: &'static str) -> Result<Value, String> {
    let envelope = body.strip_prefix(MAGIC).ok_or("provided data does not appear to be a protobuf message")?;
    let (mut found, mut version, mut object) = (String::new(), String::new(), &[][..]);
    for field in Fields(envelope) {
        match field? {
            (1, Wire::Bytes(names)) => {
                for field in Fields(names) {
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
    // A body of another kind is refused by its name, so that there is no need to read it.
    let mut value = if found.is_empty() || found == kind { read(schema::find(kind), object)? } else { Map::new() };
    value.insert("kind".into(), found.into());
    value.insert("apiVersion".into(), version.into());
    Ok(value.into())
}

fn read(row: &'static Struct, bytes: &[u8]) -> Result<Map<String, Value>, String> {
    let mut object = Map::new();
    for field in Fields(bytes) {
        let (number, wire) = field?;
        let Some(field) = row.fields.iter().find(|field| field.number == number) else { continue };
        match (&field.kind, wire) {
            (Kind::Struct(embedded), Wire::Bytes(bytes)) if field.name.is_empty() => {
                object.extend(read(schema::find(embedded), bytes)?);
            }
            (Kind::List(inner), wire) => {
                let list = object.entry(field.name).or_insert_with(|| json!([]));
                let item = value(inner, wire)?;
                list.as_array_mut().into_iter().for_each(|list| list.push(item.clone()));
            }
            (Kind::Map(inner), Wire::Bytes(entry)) => {
                let (mut key, mut item) = (String::new(), schema::zero(inner));
                for field in Fields(entry) {
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
            for field in Fields(bytes) {
                match field? {
                    (1, Wire::Varint(number)) => seconds = number.cast_signed(),
                    (2, Wire::Varint(number)) => nanos = i32::try_from(number).unwrap_or_default(),
                    _ => {}
                }
            }
            if bytes.is_empty() {
                return Ok(Value::Null); // a time that is not set
            }
            Timestamp::new(seconds, nanos).map_err(|error| error.to_string())?.to_string().into()
        }
        (Kind::Quantity | Kind::Raw, Wire::Bytes(bytes)) => {
            let text = Fields(bytes).find_map(|field| match field {
                Ok((1, Wire::Bytes(text))) => Some(utf8(text)),
                _ => None,
            });
            let text = text.transpose()?.unwrap_or_default();
            if *kind == Kind::Raw { serde_json::from_str(&text).unwrap_or_default() } else { text.into() }
        }
        (Kind::IntOrString, Wire::Bytes(bytes)) => {
            let (mut is_text, mut number, mut text) = (false, 0, String::new());
            for field in Fields(bytes) {
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

/// The value of one field on the wire.
#[derive(Clone, Copy, Debug)]
enum Wire<'a> {
    Varint(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
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

impl<'a> Iterator for Fields<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_comes_back_as_it_went_out() {
        let pod = json!({
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {"name": "a", "labels": {"k": "v"}, "creationTimestamp": "2023-05-01T10:00:00Z", "generation": 3},
            "spec": {
                "containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1"}},
                    "livenessProbe": {"httpGet": {"port": 80, "path": "/"}}}],
                "volumes": [{"name": "v", "emptyDir": {}}],
                "terminationGracePeriodSeconds": 30, "hostNetwork": true, "priority": -5,
            },
        });
        assert_eq!(decode(&encode(&pod), "Pod").unwrap(), pod);
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        let bytes = encode(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}));
        assert!(decode(b"{}", "Pod").is_err());
        assert!(decode(&bytes[..bytes.len() - 9], "Pod").is_err());
    }
}
