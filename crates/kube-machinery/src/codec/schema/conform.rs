//! Brings a value into the form of its Go type in place, with the same result as `decode.rs`. The value is the result
//! of a patch or of a mutating webhook. Most of it has that form already, and decoding it again would copy all of it.

use super::decode::{Decoded, Decoder, check_depth, decode, is_omitted, zero};
use super::scalar::{float, is_integer, micro_time, quantity, time};
use super::schema_or::conform_schema_or;
use super::type_error::FieldPath;
use super::{FieldType, Struct, find};
use crate::codec::depth::{MOST_LEVELS, TOO_DEEP, levels};
use crate::codec::json::Json;
use crate::value::{Map, Value};

/// Does in place what [`decode`] does to the same value. `before` is the object before the patch: parts that the value
/// shares with it (the same memory) are skipped, because they have the form already.
///
/// # Errors
/// As [`decode`].
pub fn conform(kind: &str, value: Value, before: &Value) -> Result<Decoded, String> {
    let Value::Object(mut fields) = value else { return decode(kind, value) };
    let mut decoder = Decoder::default();
    decoder.conform_struct(find(kind), &mut fields, before, &FieldPath::Top)?;
    decoder.decoded(fields.into())
}

impl Decoder {
    /// Conforms the fields of a struct. `row` is the struct in the table of Go types.
    pub(super) fn conform_struct(
        &mut self,
        row: &'static Struct,
        fields: &mut Map,
        before: &Value,
        at: &FieldPath<'_>,
    ) -> Result<(), String> {
        check_depth(at)?;
        let mut gone = Vec::new();
        for (name, value) in fields.iter_mut() {
            if matches!(at, FieldPath::Top) && matches!(name.as_str(), "kind" | "apiVersion") {
                gone.push(name.clone()); // not stored: the server knows them from the object's kind
                continue;
            }
            let path = FieldPath::Field(at, name, row);
            let Some(field) = row.field(name) else {
                self.fault("unknown", &path);
                gone.push(name.clone());
                continue;
            };
            self.conform_value(&field.kind, value, &before[name], row, &path)?;
            if is_omitted(field, value) {
                gone.push(name.clone());
            }
        }
        for name in gone {
            fields.remove(&name);
        }
        for (name, zero) in row.zero() {
            if !fields.contains_key(name) {
                fields.insert(name.clone(), zero.clone());
            }
        }
        Ok(())
    }

    pub(super) fn conform_value(
        &mut self,
        kind: &FieldType,
        value: &mut Value,
        before: &Value,
        row: &'static Struct,
        at: &FieldPath<'_>,
    ) -> Result<(), String> {
        if !value.is_null() && value.is_same(before) {
            return Ok(());
        }
        match (kind, &mut *value) {
            (kind, Value::Null) => *value = zero(kind),
            (FieldType::Pointer(inner), _) => self.conform_value(inner, value, before, row, at)?,
            (FieldType::Struct(name), Value::Object(fields)) => self.conform_struct(find(name), fields, before, at)?,
            (FieldType::List(inner), Value::Array(items)) => {
                for (i, item) in items.iter_mut().enumerate() {
                    self.conform_value(inner, item, &before[i], row, &FieldPath::Item(at, i))?;
                }
            }
            (FieldType::Map(inner), Value::Object(fields)) => {
                for (name, value) in fields.iter_mut() {
                    self.conform_value(inner, value, &before[name], row, &FieldPath::Key(at, name))?;
                }
            }
            (FieldType::Raw, value) => {
                if at.levels() + levels(value) > MOST_LEVELS {
                    return Err(format!("json: {TOO_DEEP}"));
                }
            }
            (FieldType::SchemaOr(other), value) => conform_schema_or(*other, value, before, at, Some(row.name))?,
            (FieldType::Time, Value::String(text)) => *text = time(text)?.into(),
            (FieldType::MicroTime, Value::String(text)) => *text = micro_time(text)?.into(),
            (FieldType::Quantity, value) => *value = quantity(value)?.into(),
            (FieldType::Text | FieldType::IntOrString, Value::String(_)) | (FieldType::Bool, Value::Bool(_)) => {}
            (FieldType::Bytes, Value::String(text)) => *value = self.bytes(text),
            (FieldType::Bytes, Value::Array(items)) => {
                let items: Vec<Json> = items.iter_mut().map(|item| item.take().into()).collect();
                *value = self.bytes_of_items(&items, row, at);
            }
            (FieldType::IntOrString, Value::Number(number)) if is_integer(number, 32) => {}
            (FieldType::Integer(bits), Value::Number(number)) if is_integer(number, *bits) => {}
            (FieldType::Float, Value::Number(number)) => *number = float(number),
            (kind, value) => *value = self.refuse(kind, &value.take().into(), row, at)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::super::Alternative;
    use super::*;
    use crate::codec::merge_patch;
    use crate::value::json;

    /// Returns a random value of this type; about one in twelve is of any type.
    fn value_of(kind: &FieldType, random: &mut Rng, level: usize) -> Value {
        if random.usize(..12) == 0 {
            let odd = [
                json!(null),
                json!(5),
                json!(1.5),
                json!("x"),
                json!([null]),
                json!({"a": 1}),
                json!(true),
                json!([104]),
            ];
            return odd[random.usize(..odd.len())].clone();
        }
        match kind {
            FieldType::Text => json!(["", "a"][random.usize(..2)]),
            FieldType::Bool => json!(random.usize(..2) == 0),
            FieldType::Integer(_) => json!(random.usize(..3)),
            FieldType::Float => [json!(1.0), json!(-2.5), json!(3)][random.usize(..3)].clone(),
            FieldType::SchemaOr(other) => {
                let kind = match (other, random.bool()) {
                    (_, true) => FieldType::Struct("JSONSchemaProps"),
                    (Alternative::Bool, _) => FieldType::Bool,
                    (Alternative::Schemas, _) => FieldType::List(Box::new(FieldType::Struct("JSONSchemaProps"))),
                    (Alternative::Texts, _) => FieldType::List(Box::new(FieldType::Text)),
                };
                value_of(&kind, random, level)
            }
            FieldType::IntOrString => [json!(0), json!("50%")][random.usize(..2)].clone(),
            FieldType::Bytes => [json!("aGk="), json!([104, 105])][random.usize(..2)].clone(),
            FieldType::Time => json!("2001-02-03T04:05:06.5+01:00"),
            FieldType::MicroTime => json!("2001-02-03T04:05:06Z"),
            FieldType::Quantity => [json!(1.5), json!("1024Mi")][random.usize(..2)].clone(),
            FieldType::Raw => json!({"any": [1]}),
            FieldType::Pointer(inner) => value_of(inner, random, level),
            FieldType::Struct(name) => struct_of(find(name), random, level + 1).into(),
            FieldType::List(inner) => (0..random.usize(..3)).map(|_| value_of(inner, random, level)).collect(),
            FieldType::Map(inner) => {
                let entries = (0..random.usize(..3)).map(|n| (format!("k{n}"), value_of(inner, random, level)));
                Value::Object(entries.collect())
            }
        }
    }

    /// Returns random fields of a struct; the deeper the level, the fewer.
    fn struct_of(row: &'static Struct, random: &mut Rng, level: usize) -> Map {
        let mut fields = Map::new();
        for field in &row.fields {
            match &field.kind {
                FieldType::Struct(embedded) if field.name.is_empty() => {
                    fields.append(&mut struct_of(find(embedded), random, level));
                }
                kind if random.usize(..2 + level * 2) == 0 => {
                    fields.insert(field.name.into(), value_of(kind, random, level));
                }
                _ => {}
            }
        }
        if random.usize(..8) == 0 {
            fields.insert("nosuch".into(), json!(1));
        }
        fields
    }

    /// Parts that a change leaves alone have the form already.
    #[test]
    fn conforming_only_the_changed_parts_equals_conforming_the_whole_value() {
        for seed in 0..400 {
            let mut random = Rng::with_seed(seed);
            for kind in ["Pod", "Service", "Job", "CustomResourceDefinition"] {
                let mut value = || Value::Object(struct_of(find(kind), &mut random, 0));
                let (Ok(before), patch) = (conform(kind, value(), &Value::Null), value()) else { continue };
                let mut after = before.value.clone();
                merge_patch::merge(&mut after, &patch);
                let form = |before: &Value| conform(kind, after.clone(), before).map(|it| (it.value, it.faults));
                assert_eq!(form(&before.value), form(&Value::Null), "seed {seed}: {} {patch}", before.value);
            }
        }
    }

    #[test]
    fn conforming_in_place_equals_decoding_the_text() {
        for seed in 0..400 {
            let mut random = Rng::with_seed(seed);
            for kind in ["Pod", "Service", "Event", "Secret", "Job", "CustomResourceDefinition", "JSONSchemaProps"] {
                let mut value = Value::Object(struct_of(find(kind), &mut random, 0));
                value["kind"] = json!(kind);
                let text = Json::read(value.to_string().as_bytes()).unwrap();
                let by_text = decode(kind, text).map(|decoded| (decoded.value, decoded.faults));
                let in_place =
                    conform(kind, value.clone(), &Value::Null).map(|decoded| (decoded.value, decoded.faults));
                assert_eq!(in_place, by_text, "seed {seed}: {value}");
            }
        }
    }
}
