//! JSON values: the form in which the server and the controllers hold objects in memory.
//!
//! The methods are those of `serde_json`, but copies share lists and objects. A copy takes constant time; a change
//! copies the levels above it and shares the rest with the original. Shared parts are compared by address, so the
//! parts that a write leaves alone cost nothing.

mod array;
mod compare;
mod index;
mod iter;
mod literal;
mod map;
mod serde;
#[cfg(test)]
mod tests;
mod text;

use std::fmt;

pub(crate) use serde_json::Number;
pub use smol_str::{SmolStr, format_smolstr};

pub use self::array::Array;
pub use self::literal::ToValue;
pub use self::map::Map;
pub use self::serde::{from_value, to_value};
pub use self::text::{write_field, write_fields};
pub use crate::json;

#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    String(SmolStr),
    Array(Array),
    Object(Map),
}

impl Value {
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    pub(crate) fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_array_mut(&mut self) -> Option<&mut Array> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns true if both share the same list or object in memory, or are the same scalar. It takes constant time
    /// for lists and objects; equal ones may return false.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(one), Self::Array(other)) => one.is_same(other),
            (Self::Object(one), Self::Object(other)) => one.is_same(other),
            (one, other) => one == other,
        }
    }

    pub fn to_json(&self) -> Vec<u8> {
        let mut text = Vec::new();
        text::write(&mut text, self);
        text
    }

    /// Takes the value and leaves null.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Returns the value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(fields) => fields.get(&unescaped(step)),
            Self::Array(items) => items.get(index_of(step)?),
            _ => None,
        })
    }

    /// As [`pointer`](Self::pointer).
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        steps(pointer)?.try_fold(self, |value, step| match value {
            Self::Object(fields) => fields.get_mut(&unescaped(step)),
            Self::Array(items) => items.get_mut(index_of(step)?),
            _ => None,
        })
    }
}

/// Splits a JSON pointer into its steps; returns `None` if the text is no pointer.
fn steps(pointer: &str) -> Option<std::iter::Skip<std::str::Split<'_, char>>> {
    (pointer.is_empty() || pointer.starts_with('/')).then(|| pointer.split('/').skip(1))
}

fn unescaped(step: &str) -> std::borrow::Cow<'_, str> {
    if step.contains('~') { step.replace("~1", "/").replace("~0", "~").into() } else { step.into() }
}

/// Parses a step as the index of an item.
fn index_of(step: &str) -> Option<usize> {
    let is_plain = !step.starts_with('+') && (!step.starts_with('0') || step.len() == 1);
    is_plain.then(|| step.parse().ok())?
}

impl fmt::Display for Value {
    /// Writes the JSON on one line; `{:#}` has a line for each field.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text =
            if f.alternate() { serde_json::to_vec_pretty(self).map_err(|_| fmt::Error)? } else { self.to_json() };
        f.write_str(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<K: Into<SmolStr>, T: Into<Value>> FromIterator<(K, T)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, T)>>(fields: I) -> Self {
        Self::Object(fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl From<&[Value]> for Value {
    fn from(items: &[Value]) -> Self {
        items.iter().cloned().collect()
    }
}

impl From<Array> for Value {
    fn from(items: Array) -> Self {
        Self::Array(items)
    }
}

impl From<Map> for Value {
    fn from(fields: Map) -> Self {
        Self::Object(fields)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    /// Converts a number that JSON does not have to null.
    fn from(value: f64) -> Self {
        Number::from_f64(value).map_or(Self::Null, Self::Number)
    }
}

macro_rules! of_texts {
    ($($text:ty),*) => {$(
        impl From<$text> for Value {
            fn from(text: $text) -> Self {
                Self::String(text.into())
            }
        }
    )*};
}
of_texts!(&str, String, &String, SmolStr, std::borrow::Cow<'_, str>);

macro_rules! of_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        }
    )*};
}
of_numbers!(u8, i32, i64, u16, u32, u64, usize, Number);
