//! What lists and maps are: which items are one by one, and which are replaced as a whole. Upstream: `schema/elements.go`.
//!
//! A schema is made from a table of types or from an OpenAPI schema; this room does not care which.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::value::Value;

/// Types by their names.
#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) types: HashMap<String, Atom>,
}

/// What a value can be. A value that can be several things is what its form says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atom {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<Arc<List>>,
    pub(crate) map: Option<Arc<MapType>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Numeric,
    String,
    Boolean,
    /// Any of them.
    Untyped,
}

/// How the items of a list or of a map relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relationship {
    /// They are one value, with one owner.
    Atomic,
    /// Each is for itself: a set, or a list with keys.
    Associative,
    /// Each is for itself: a map or a struct.
    Separable,
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) element: TypeRef,
    pub(crate) relationship: Relationship,
    /// The fields that tell items apart; none in a set.
    pub(crate) keys: Vec<String>,
}

/// A map, a struct, or a struct with more fields than it declares.
#[derive(Debug)]
pub(crate) struct MapType {
    pub(crate) fields: BTreeMap<String, StructField>,
    /// The type of fields that are not declared. Empty: there must be none.
    pub(crate) element: TypeRef,
    pub(crate) relationship: Relationship,
}

#[derive(Debug)]
pub(crate) struct StructField {
    pub(crate) of: TypeRef,
    /// Counts if the field is a key of a list and missing.
    pub(crate) default: Option<Value>,
}

/// A type where it is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeRef {
    pub(crate) kind: TypeKind,
    /// Replaces the relationship that the type declares.
    pub(crate) relationship: Option<Relationship>,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Named(Arc<str>),
    Inlined(Atom),
}

impl Default for TypeKind {
    fn default() -> Self {
        Self::Inlined(Atom::default())
    }
}

/// The type of a value that says nothing about its fields. Upstream: `__untyped_deduced_`.
pub(crate) const DEDUCED: &str = "__untyped_deduced_";

/// What a type is, where it is used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resolved<'s> {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<&'s List>,
    pub(crate) map: Option<&'s MapType>,
    /// What the use of the type says instead of the type: of the map, if it can be one.
    list_relationship: Option<Relationship>,
    map_relationship: Option<Relationship>,
}

impl Schema {
    /// What a type is; `None` if no type has its name.
    pub(crate) fn resolve<'s>(&'s self, of: &'s TypeRef) -> Option<Resolved<'s>> {
        let atom = match &of.kind {
            TypeKind::Named(name) => self.types.get(&**name)?,
            TypeKind::Inlined(atom) => atom,
        };
        let (list, map) = (atom.list.as_deref(), atom.map.as_deref());
        let (list_relationship, map_relationship) = match (list, map) {
            (_, Some(_)) => (None, of.relationship),
            (Some(_), None) => (of.relationship, None),
            (None, None) if of.relationship.is_some() => return None,
            (None, None) => (None, None),
        };
        Some(Resolved { scalar: atom.scalar, list, map, list_relationship, map_relationship })
    }
}

impl<'s> Resolved<'s> {
    /// Of several things, the one that the value is. Upstream: `deduceAtom`.
    pub(crate) fn deduced(self, value: Option<&Value>) -> Self {
        let none = Self { scalar: None, list: None, map: None, ..self };
        match value {
            Some(Value::Number(_) | Value::String(_) | Value::Bool(_)) if self.scalar.is_some() => {
                Self { scalar: self.scalar, ..none }
            }
            Some(Value::Array(_)) if self.list.is_some() => Self { list: self.list, ..none },
            Some(Value::Object(_)) if self.map.is_some() => Self { map: self.map, ..none },
            _ => self,
        }
    }

    /// The one thing as which a value is treated: a map, a scalar or a list. Upstream: `handleAtom`.
    pub(crate) fn handled(self) -> Option<Handled<'s>> {
        match self {
            Self { map: Some(map), .. } => Some(Handled::Map(map, self.map_relationship.unwrap_or(map.relationship))),
            Self { scalar: Some(scalar), .. } => Some(Handled::Scalar(scalar)),
            Self { list: Some(list), .. } => {
                Some(Handled::List(list, self.list_relationship.unwrap_or(list.relationship)))
            }
            _ => None,
        }
    }

    /// Whether both are the same choice from one type.
    pub(crate) fn is_same_choice(self, other: Self) -> bool {
        self.scalar.is_some() == other.scalar.is_some()
            && self.list.is_some() == other.list.is_some()
            && self.map.is_some() == other.map.is_some()
    }
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handled<'s> {
    Scalar(Scalar),
    List(&'s List, Relationship),
    Map(&'s MapType, Relationship),
}

impl MapType {
    /// The type of a field.
    pub(crate) fn type_of(&self, field: &str) -> &TypeRef {
        self.fields.get(field).map_or(&self.element, |field| &field.of)
    }
}

impl TypeRef {
    /// Whether it stands for no type at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.relationship.is_none()
            && matches!(&self.kind, TypeKind::Inlined(Atom { scalar: None, list: None, map: None }))
    }

    /// How messages name it.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.kind {
            TypeKind::Named(name) => Some(name),
            TypeKind::Inlined(_) => None,
        }
    }
}
