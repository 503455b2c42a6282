//! Reads and writes a set of fields in its stored form, `fieldsV1` of a `managedFields` entry. Upstream:
//! `fieldpath/serialize.go`.
//!
//! The form is nested objects, whose names are path elements: `{"f:spec": {"f:replicas": {}}}`. A `.` says that a field
//! with others below it is in the set itself.

use serde::de::Error as _;

use super::path_element::NoElement;
use super::set::Node;
use super::{PathElement, Set};
use crate::value::{Map, Value};

impl Set {
    pub(crate) fn to_fields_v1(&self) -> Value {
        let fields = self.nodes.iter().map(|node| (node.element.stored(), node.to_fields_v1()));
        Value::Object(fields.collect())
    }

    /// # Errors
    /// If a level is no object, or if a name is no path element.
    pub(crate) fn from_fields_v1(fields: &Value) -> Result<Self, serde_json::Error> {
        read(fields).map(|(set, _)| set)
    }
}

impl Node {
    fn to_fields_v1(&self) -> Value {
        let mut fields = match self.children.to_fields_v1() {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        if self.member && !fields.is_empty() {
            fields.insert(".".into(), Value::Object(Map::new()));
        }
        Value::Object(fields)
    }
}

/// Reads the fields below a field, and whether the field itself is in the set: it is if it has a `.`, or if nothing
/// is below it.
fn read(fields: &Value) -> Result<(Set, bool), serde_json::Error> {
    let fields = match fields {
        Value::Object(fields) => fields,
        Value::Null => return Ok((Set::default(), true)),
        _ => return Err(serde_json::Error::custom("a set of fields is no object")),
    };
    let mut nodes = Vec::with_capacity(fields.len());
    for (name, below) in fields.iter().filter(|(name, _)| *name != ".") {
        match PathElement::read(name) {
            Ok(element) => {
                let (children, member) = read(below)?;
                nodes.push(Node { element, member, children });
            }
            Err(NoElement::Unknown) => {}
            Err(NoElement::Malformed(why)) => return Err(serde_json::Error::custom(why)),
        }
    }
    nodes.sort_by(|left, right| left.element.cmp(&right.element));
    nodes.dedup_by(|second, first| first.element == second.element && first.take(second));
    let member = nodes.is_empty() || fields.contains_key(".");
    Ok((Set { nodes }, member))
}

impl Node {
    /// Merges another node of the same element into this one: `v:1` and `v:1.0` name one item. Returns true, as
    /// `dedup_by` expects.
    fn take(&mut self, other: &Self) -> bool {
        self.member |= other.member;
        self.children = self.children.union(&other.children);
        true
    }
}
