//! The values that CEL expressions work with. They have more types than JSON, such as timestamps and optionals.
//! Upstream: cel-go's `common/types`.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::interpreter::{Meter, Outcome};

/// The value of an expression. Copies are cheap, because lists, maps and texts are shared.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(Arc<str>),
    Bytes(Arc<[u8]>),
    List(Arc<Vec<Value>>),
    Map(Arc<Map>),
    /// A duration in nanoseconds.
    Duration(i64),
    Timestamp(Timestamp),
    Type(&'static str),
    Optional(Option<Arc<Value>>),
    Object(Arc<dyn Object>),
    /// A value whose type contradicts its schema. Reading it fails with this message. Upstream: `types.Err`.
    Invalid(&'static str),
}

/// A point in time, and the UTC offset in which it is printed.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970.
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
    /// The offset from UTC in seconds.
    pub(super) offset: i32,
}

/// A value of an opaque type, such as a quantity or a URL: expressions can only call its methods.
pub trait Object: Any + fmt::Debug + Send + Sync {
    fn type_name(&self) -> &'static str;

    /// Returns true if both are equal; `None` if cel-go has no equality for them.
    fn equals(&self, other: &dyn Object) -> Option<bool>;

    /// Returns the size that the cost of functions is computed from.
    fn size(&self) -> u64 {
        1
    }

    /// Returns the value as tests print it.
    #[cfg(test)]
    fn shown(&self) -> String {
        self.type_name().to_owned()
    }

    /// Calls a method; returns `None` if no method of this name takes these arguments.
    fn call(&self, meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome>;
}

/// A map. String keys are stored apart, because other keys are rare.
#[derive(Clone, Debug, Default)]
pub struct Map {
    pub(super) texts: BTreeMap<Arc<str>, Value>,
    pub(super) others: BTreeMap<Key, Value>,
}

/// A key that is no string. An integer is the same key whether it is an int, a uint or a double.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Bool(bool),
    Int(i64),
    Uint(u64),
}

impl Map {
    pub(super) fn len(&self) -> usize {
        self.texts.len() + self.others.len()
    }

    /// Returns the value of a key; `None` if it is missing, or if the value is of a type that cannot be a key.
    pub(super) fn get(&self, key: &Value) -> Option<&Value> {
        match key {
            Value::String(text) => self.texts.get(text),
            other => self.others.get(&Key::of(other)?),
        }
    }

    /// Inserts an entry and returns the previous value of the key. If the key's type cannot be a key, the error is the
    /// key.
    pub(super) fn insert(&mut self, key: Value, value: Value) -> Result<Option<Value>, Value> {
        match (Key::of(&key), key) {
            (_, Value::String(text)) => Ok(self.texts.insert(text, value)),
            (Some(key), _) => Ok(self.others.insert(key, value)),
            (None, other) => Err(other),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Value, &Value)> {
        let others = self.others.iter().map(|(key, value)| (key.value(), value));
        others.chain(self.texts.iter().map(|(text, value)| (Value::String(text.clone()), value)))
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.others.values().chain(self.texts.values())
    }
}

impl Key {
    fn of(value: &Value) -> Option<Self> {
        Some(match value {
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Int(int) => Self::Int(*int),
            Value::Uint(uint) => i64::try_from(*uint).map_or(Self::Uint(*uint), Self::Int),
            Value::Double(double) => integral(*double)?,
            _ => return None,
        })
    }

    fn value(&self) -> Value {
        match self {
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Int(int) => Value::Int(*int),
            Self::Uint(uint) => Value::Uint(*uint),
        }
    }
}

/// Returns a double without a fraction as an integer key. Below about 2^53, a double is the same as one integer only.
#[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small")]
fn integral(double: f64) -> Option<Key> {
    let is_small = double.fract() == 0.0 && double.abs() < 9e15;
    is_small.then_some(Key::Int(double as i64))
}

impl Value {
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    pub(crate) fn list(items: Vec<Value>) -> Self {
        Self::List(Arc::new(items))
    }

    pub(crate) fn optional(value: Option<Value>) -> Self {
        Self::Optional(value.map(Arc::new))
    }

    pub fn object(object: impl Object) -> Self {
        Self::Object(Arc::new(object))
    }

    /// Returns a length as an int.
    pub(super) fn count(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    pub(super) fn downcast<T: Object>(&self) -> Option<&T> {
        match self {
            Self::Object(object) => (object.as_ref() as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Object(object) => object.type_name(),
            Self::Invalid(_) => "error",
        }
    }

    /// Returns the size that the cost of functions is computed from. Upstream: `actualSize`.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::String(text) => text.chars().count() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::List(items) => items.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::Optional(Some(held)) => held.size(),
            Self::Object(object) => object.size(),
            _ => 1,
        }
    }

    /// Returns true for the zero value of a type, which `optional.ofNonZeroValue` turns into an empty optional.
    pub(super) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(bool) => !bool,
            Self::Int(int) => *int == 0,
            Self::Uint(uint) => *uint == 0,
            Self::Double(double) => *double == 0.0,
            Self::Duration(nanoseconds) => *nanoseconds == 0,
            Self::Timestamp(at) => at.seconds == Timestamp::YEAR_ONE && at.nanoseconds == 0,
            Self::String(_) | Self::Bytes(_) | Self::List(_) | Self::Map(_) => self.size() == 0,
            Self::Optional(held) => held.as_deref().is_none_or(Self::is_zero),
            Self::Type(_) | Self::Object(_) | Self::Invalid(_) => false,
        }
    }
}

impl Timestamp {
    /// The start of the year 1, Go's zero time.
    pub(super) const YEAR_ONE: i64 = -62_135_596_800;
}

impl From<&crate::value::Value> for Value {
    /// Converts a JSON value by its own types, without a schema.
    fn from(value: &crate::value::Value) -> Self {
        match value {
            crate::value::Value::Null => Self::Null,
            crate::value::Value::Bool(bool) => Self::Bool(*bool),
            crate::value::Value::Number(number) => match number.as_i64() {
                Some(int) => Self::Int(int),
                None => number.as_f64().map_or(Self::Null, Self::Double),
            },
            crate::value::Value::String(text) => Self::text(text.as_str()),
            crate::value::Value::Array(items) => Self::list(items.iter().map(Self::from).collect()),
            crate::value::Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.as_str().into(), Self::from(value))).collect()
            }
        }
    }
}

impl FromIterator<(Arc<str>, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(fields: I) -> Self {
        Self::Map(Arc::new(Map { texts: fields.into_iter().collect(), others: BTreeMap::new() }))
    }
}
