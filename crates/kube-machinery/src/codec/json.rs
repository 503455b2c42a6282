//! JSON values that keep the fields of an object in their order, duplicates included: Go's decoder reports errors in
//! this order, and duplicate fields as errors. `crate::value::Value` is the form after decoding.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::depth::TOO_DEEP;
use super::go_syntax;
use crate::value::{Number, SmolStr, Value};

/// The most errors that a strict decoder reports. Upstream: `saveStrictError` in `sigs.k8s.io/json`.
pub const MOST_FAULTS: usize = 100;

/// A JSON value whose fields are in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    String(SmolStr),
    Array(Vec<Json>),
    Object(Vec<(SmolStr, Json)>),
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(fields) => {
                Self::Object(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl From<Json> for Value {
    /// The last of duplicate fields wins.
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => Self::Number(number),
            Json::String(text) => Self::String(text),
            Json::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Json::Object(fields) => {
                Self::Object(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsWritten)
    }
}

impl Json {
    /// Reads JSON, and accepts what Go accepts.
    ///
    /// # Errors
    /// Go's message about invalid JSON.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text).or_else(|error| match go_syntax::fault(text) {
            Some(fault) => Err(fault),
            // Go accepts any bytes in a string, and replaces those that are no UTF-8.
            None if std::str::from_utf8(text).is_err() => Self::read(String::from_utf8_lossy(text).as_bytes()),
            None => match with_whole_surrogates(text) {
                Some(text) => Self::read(&text),
                None if error.to_string().starts_with("recursion limit") => Err(TOO_DEEP.to_owned()),
                None => Err(error.to_string()),
            },
        })
    }

    /// Returns the name of the value's type in Go's messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// Returns the paths of duplicate fields: each once, and at most [`MOST_FAULTS`].
    pub fn duplicates(&self) -> Vec<String> {
        let mut duplicates = Duplicates::default();
        duplicates.add(self, "");
        duplicates.paths
    }
}

#[derive(Default)]
struct Duplicates {
    paths: Vec<String>,
    known: HashSet<String>,
}

impl Duplicates {
    fn add(&mut self, json: &Json, at: &str) {
        if self.paths.len() >= MOST_FAULTS {
            return;
        }
        match json {
            Json::Object(fields) => {
                let mut names = HashSet::with_capacity(fields.len());
                for (name, value) in fields {
                    let path = if at.is_empty() { name.to_string() } else { format!("{at}.{name}") };
                    if !names.insert(name) && self.paths.len() < MOST_FAULTS && self.known.insert(path.clone()) {
                        self.paths.push(path.clone());
                    }
                    self.add(value, &path);
                }
            }
            Json::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    self.add(item, &format!("{at}[{i}]"));
                }
            }
            _ => {}
        }
    }
}

/// Replaces each escaped surrogate that has no partner by U+FFFD, as Go does; returns `None` if all pairs are whole. An
/// escape has 6 bytes.
fn with_whole_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    let mut whole = text.to_vec();
    let mut changed = false;
    let mut at = 0;
    while at < whole.len() {
        match (escaped(&whole[at..]), escaped(whole.get(at + 6..).unwrap_or_default())) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => at += 12,
            (Some(0xd800..0xe000), _) => {
                whole[at + 2..at + 6].copy_from_slice(b"fffd");
                changed = true;
                at += 6;
            }
            _ if whole[at] == b'\\' => at += 2,
            _ => at += 1,
        }
    }
    changed.then_some(whole)
}

/// Returns the code unit of the escape, such as `\u00e4`, that a text begins with.
fn escaped(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Builds a [`Json`] from the parser's events.
struct AsWritten;

impl<'de> Visitor<'de> for AsWritten {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(field) = fields.next_entry()? {
            list.push(field);
        }
        Ok(Json::Object(list))
    }
}
