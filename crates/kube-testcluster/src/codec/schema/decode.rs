//! Decodes an object into its Go type and encodes it again, as a Go server does.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::machinery::quantity::Quantity;

use super::{Field, Kind, Omit, Struct, find};

/// An object in the form of its type.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) value: Value,
    /// The paths of the fields that the type does not have; they were dropped.
    pub(crate) unknown: Vec<String>,
}

/// Drops unknown fields, and adds the fields that Go never omits. What it returns has at most [`MOST_LEVELS`] levels: the
/// types bound those of all fields but the free-form ones, which are counted.
///
/// # Errors
/// Go's message, if a value has the wrong type or nests too deep.
pub(crate) fn decode(kind: &str, value: Value) -> Result<Decoded, String> {
    let mut decoder = Decoder { unknown: Vec::new() };
    let row = find(kind);
    let value = match value {
        Value::Object(fields) => decoder.object(row, fields, &FieldPath::Top)?,
        other => return Err(format!("json: cannot unmarshal {} into Go value of type v1.{kind}", json_type(&other))),
    };
    Ok(Decoded { value, unknown: decoder.unknown })
}

/// The zero value of a type.
pub(crate) fn zero(kind: &Kind) -> Value {
    match kind {
        Kind::Text => "".into(),
        Kind::Bool => false.into(),
        Kind::Integer(_) | Kind::IntOrString => 0.into(),
        Kind::Quantity => "0".into(),
        Kind::Struct(name) => find(name).zero().clone().into(),
        Kind::Bytes | Kind::Time | Kind::MicroTime | Kind::Raw => Value::Null,
        Kind::Pointer(_) | Kind::List(_) | Kind::Map(_) => Value::Null,
    }
}

/// Adds the zero values of a struct's fields that Go never omits.
pub(super) fn zeroes(row: &'static Struct, fields: &mut Map<String, Value>) {
    for field in &row.fields {
        match &field.kind {
            Kind::Struct(embedded) if field.name.is_empty() => zeroes(find(embedded), fields),
            kind => {
                let value = zero(kind);
                if !is_omitted(field, &value) {
                    fields.insert(field.name.into(), value);
                }
            }
        }
    }
}

fn is_omitted(field: &Field, value: &Value) -> bool {
    let empty = match (&field.kind, value) {
        (Kind::Time | Kind::MicroTime, Value::Null) => return field.omit == Omit::Zero,
        (Kind::Struct(_) | Kind::Quantity | Kind::IntOrString, _) => false,
        (Kind::Pointer(_), value) => value.is_null(),
        (_, Value::Null) => true,
        (_, Value::String(text)) => text.is_empty(),
        (_, Value::Bool(value)) => !value,
        (_, Value::Number(number)) => number.as_i64() == Some(0),
        (_, Value::Array(items)) => items.is_empty(),
        (Kind::Raw, _) => false,
        (_, Value::Object(fields)) => fields.is_empty(),
    };
    empty && field.omit != Omit::Never
}

/// The path of the field that is being decoded. It becomes text only for a message.
enum FieldPath<'a> {
    Top,
    Field(&'a FieldPath<'a>, &'a str),
    Item(&'a FieldPath<'a>, usize),
}

impl FieldPath<'_> {
    /// The names of the fields on the path, without the numbers of items.
    fn fields(&self) -> String {
        match self {
            FieldPath::Top => String::new(),
            FieldPath::Field(FieldPath::Top, name) => (*name).to_owned(),
            FieldPath::Field(parent, name) => format!("{}.{name}", parent.fields()),
            FieldPath::Item(parent, _) => parent.fields(),
        }
    }

    /// How many objects and lists are around the value at this path.
    fn levels(&self) -> usize {
        match self {
            FieldPath::Top => 0,
            FieldPath::Field(parent, _) | FieldPath::Item(parent, _) => 1 + parent.levels(),
        }
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldPath::Top => Ok(()),
            FieldPath::Field(FieldPath::Top, name) => f.write_str(name),
            FieldPath::Field(parent, name) => write!(f, "{parent}.{name}"),
            FieldPath::Item(parent, n) => write!(f, "{parent}[{n}]"),
        }
    }
}

struct Decoder {
    unknown: Vec<String>,
}

impl Decoder {
    fn object(&mut self, row: &'static Struct, from: Map<String, Value>, at: &FieldPath<'_>) -> Result<Value, String> {
        let mut fields = row.zero().clone();
        for (name, value) in from {
            if matches!((at, name.as_str()), (FieldPath::Top, "kind" | "apiVersion")) {
                continue; // the row of the kind has them
            }
            let Some(field) = row.field(&name) else {
                self.unknown.push(FieldPath::Field(at, &name).to_string());
                continue;
            };
            if value.is_null() {
                continue; // null counts as absent
            }
            let value = self.value(&field.kind, value, row, &FieldPath::Field(at, &name))?;
            if is_omitted(field, &value) {
                fields.remove(field.name);
            } else {
                fields.insert(name, value);
            }
        }
        Ok(fields.into())
    }

    fn value(&mut self, kind: &Kind, value: Value, row: &Struct, at: &FieldPath<'_>) -> Result<Value, String> {
        match (kind, value) {
            (Kind::Pointer(inner), value) => self.value(inner, value, row, at),
            (Kind::Struct(name), Value::Object(fields)) => self.object(find(name), fields, at),
            (Kind::List(inner), Value::Array(items)) => {
                let mut list = Vec::with_capacity(items.len());
                for (i, item) in items.into_iter().enumerate() {
                    list.push(self.element(inner, item, row, &FieldPath::Item(at, i))?);
                }
                Ok(list.into())
            }
            (Kind::Map(inner), Value::Object(fields)) => {
                let mut map = Map::new();
                for (name, value) in fields {
                    let value = self.element(inner, value, row, &FieldPath::Field(at, &name))?;
                    map.insert(name, value);
                }
                Ok(map.into())
            }
            (Kind::Raw, value) if at.levels() + levels(&value) > MOST_LEVELS => Err(format!("json: {TOO_DEEP}")),
            (Kind::Time, Value::String(text)) => time(&text).map(Value::String),
            (Kind::MicroTime, Value::String(text)) => micro_time(&text).map(Value::String),
            (Kind::Quantity, value) => quantity(&value).map(Value::String),
            (Kind::Text | Kind::IntOrString | Kind::Bytes, value @ Value::String(_))
            | (Kind::Bool, value @ Value::Bool(_))
            | (Kind::Raw, value) => Ok(value),
            (Kind::IntOrString, Value::Number(number)) if is_integer(&number, 32) => Ok(number.into()),
            (Kind::Integer(bits), Value::Number(number)) if is_integer(&number, *bits) => Ok(number.into()),
            (kind, value) => Err(misfit(kind, &value, row, at)),
        }
    }

    /// In a list or a map, null stands for the zero value.
    fn element(&mut self, kind: &Kind, value: Value, row: &Struct, at: &FieldPath<'_>) -> Result<Value, String> {
        if value.is_null() { Ok(zero(kind)) } else { self.value(kind, value, row, at) }
    }
}

fn misfit(kind: &Kind, value: &Value, row: &Struct, at: &FieldPath<'_>) -> String {
    let (word, path) = (json_type(value), at.fields());
    format!("json: cannot unmarshal {word} into Go struct field {}.{path} of type {}", row.name, go_name(kind))
}

fn is_integer(number: &serde_json::Number, bits: u8) -> bool {
    number.as_i64().is_some_and(|number| bits == 64 || i32::try_from(number).is_ok())
}

/// The name of a JSON value's type in Go's messages.
pub(crate) fn json_type(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(number) if number.is_f64() => format!("number {number}"),
        Value::Number(_) => "number".into(),
        Value::String(_) => "string".into(),
        Value::Array(_) => "array".into(),
        Value::Object(_) => "object".into(),
    }
}

fn go_name(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".into(),
        Kind::Bool => "bool".into(),
        Kind::Integer(bits) => format!("int{bits}"),
        Kind::Bytes => "[]uint8".into(),
        Kind::Time => "v1.Time".into(),
        Kind::MicroTime => "v1.MicroTime".into(),
        Kind::Quantity => "resource.Quantity".into(),
        Kind::IntOrString => "intstr.IntOrString".into(),
        Kind::Raw => "runtime.RawExtension".into(),
        Kind::Struct(name) => format!("v1.{name}"),
        Kind::Pointer(inner) => go_name(inner),
        Kind::List(inner) => format!("[]{}", go_name(inner)),
        Kind::Map(inner) => format!("map[string]{}", go_name(inner)),
    }
}

/// A quantity in Go's form, from a string or a number. As in Go, any other value is parsed as text, which fails.
fn quantity(value: &Value) -> Result<String, String> {
    let other = value.to_string();
    let quantity = Quantity::parse(value.as_str().unwrap_or(&other));
    quantity.map(|quantity| quantity.to_string()).map_err(|error| error.to_string())
}

/// RFC 3339 in whole seconds.
fn time(text: &str) -> Result<String, String> {
    let time = parse_time(text)?;
    Ok(Timestamp::from_second(time.as_second()).unwrap_or(time).to_string())
}

/// RFC 3339 with microseconds.
fn micro_time(text: &str) -> Result<String, String> {
    Ok(format!("{:.6}", parse_time(text)?))
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\"")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_gets_what_its_type_cannot_leave_out_and_loses_what_it_does_not_have() {
        let pod = json!({
            "metadata": {"name": "a", "labels": {}, "creationTimestamp": null, "nosuch": 1},
            "spec": {"containers": [{"name": "c", "env": [{}], "odd": 2}], "hostNetwork": false},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        let decoded = decode("Pod", pod).unwrap();
        assert_eq!(decoded.unknown, ["metadata.nosuch", "spec.containers[0].odd"]);
        assert_eq!(
            decoded.value,
            json!({
                "metadata": {"name": "a"},
                "spec": {"containers": [{"name": "c", "env": [{"name": ""}], "resources": {}}]},
                "status": {"conditions": [
                    {"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": null},
                ]},
            })
        );
    }

    #[test]
    fn quantities_and_times_get_their_one_form() {
        let pod = json!({
            "metadata": {"creationTimestamp": "2023-05-01T12:00:00.9+02:00"},
            "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 0.5, "memory": "1024Mi", "x": null}}}]},
        });
        let value = decode("Pod", pod).unwrap().value;
        assert_eq!(value["metadata"]["creationTimestamp"], "2023-05-01T10:00:00Z");
        let limits = json!({"cpu": "500m", "memory": "1Gi", "x": "0"});
        assert_eq!(value["spec"]["containers"][0]["resources"]["limits"], limits);
        let lease = json!({"spec": {"renewTime": "2023-05-01T12:00:00.1234567+02:00"}});
        assert_eq!(decode("Lease", lease).unwrap().value["spec"]["renewTime"], "2023-05-01T10:00:00.123456Z");
    }

    #[test]
    fn what_does_not_fit_is_said_in_the_words_of_go() {
        for (pod, message) in [
            (
                json!({"spec": {"containers": "nope"}}),
                "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container",
            ),
            (json!({"spec": "x"}), "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec"),
            (
                json!({"spec": {"containers": [{"name": 1}]}}),
                "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string",
            ),
        ] {
            assert_eq!(decode("Pod", pod).unwrap_err(), message);
        }
    }
}
