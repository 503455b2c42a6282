//! One step of a field path, from a value to a part of it: a field, or a list item by its keys, its value or its index.
//! It has a stored form for `managedFields` (`k:{"name":"web"}`), and a form for messages (`[name="web"]`). Upstream:
//! `fieldpath/element.go`, `serialize-pe.go`.

use std::cmp::Ordering;
use std::fmt::{self, Display};
use std::iter::zip;

use super::super::value;
use crate::codec::go_json::go_json;
use crate::value::{Map, Value};

/// A part of a value. As upstream, elements are ordered by their variant, in the order here, and then by content.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// A field of a map or of a struct.
    FieldName(String),
    /// The item of an associative list that has these keys, sorted by name.
    Key(Vec<(String, Value)>),
    /// The item of a set that has this value.
    Value(Value),
    /// The item of a list at this index.
    Index(i64),
}

/// The reason why a text is not read as a path element.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoElement {
    /// An element of a future version. Readers ignore it.
    Unknown,
    Malformed(String),
}

impl PathElement {
    pub(crate) fn key(mut keys: Vec<(String, Value)>) -> Self {
        keys.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self::Key(keys)
    }

    /// Parses an element such as `f:name`.
    pub(crate) fn read(text: &str) -> Result<Self, NoElement> {
        let malformed = |why: String| NoElement::Malformed(why);
        let bytes = text.as_bytes();
        if bytes.len() < 2 {
            return Err(malformed("key must be 2 characters long:".to_owned()));
        }
        if bytes[1] != b':' {
            return Err(malformed(format!("missing colon: {text}")));
        }
        let content = &text[2..];
        match bytes[0] {
            b'f' => Ok(Self::FieldName(content.to_owned())),
            b'v' => serde_json::from_str(content).map(Self::Value).map_err(|error| malformed(error.to_string())),
            b'k' => serde_json::from_str::<Option<Map>>(content)
                .map(|keys| {
                    Self::Key(keys.unwrap_or_default().into_iter().map(|(name, value)| (name.into(), value)).collect())
                })
                .map_err(|error| malformed(error.to_string())),
            b'i' => content.parse().map(Self::Index).map_err(|_| {
                malformed(format!(
                    "strconv.Atoi: parsing {}: invalid syntax",
                    crate::conventions::quote::quote(content)
                ))
            }),
            _ => Err(NoElement::Unknown),
        }
    }

    /// Returns the element as it is stored, such as `f:name`.
    pub(crate) fn stored(&self) -> String {
        match self {
            Self::FieldName(name) => format!("f:{name}"),
            Self::Key(keys) => {
                let keys: Vec<_> = keys
                    .iter()
                    .map(|(name, value)| format!("{}:{}", go_json(&name.as_str().into()), go_json(value)))
                    .collect();
                format!("k:{{{}}}", keys.join(","))
            }
            Self::Value(value) => format!("v:{}", go_json(value)),
            Self::Index(index) => format!("i:{index}"),
        }
    }

    /// Returns the place of the variant in upstream's order.
    fn rank(&self) -> u8 {
        match self {
            Self::FieldName(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::FieldName(left), Self::FieldName(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => zip(left, right)
                .map(|((left_name, left), (right_name, right))| {
                    left_name.cmp(right_name).then_with(|| value::compare(left, right))
                })
                .find(|order| order.is_ne())
                .unwrap_or_else(|| left.len().cmp(&right.len())),
            (Self::Value(left), Self::Value(right)) => value::compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement {}

impl Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldName(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                let keys: Vec<_> = keys.iter().map(|(name, key)| format!("{name}={}", value::text(key))).collect();
                write!(f, "[{}]", keys.join(","))
            }
            Self::Value(item) => write!(f, "[={}]", value::text(item)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}
