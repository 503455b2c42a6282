//! The schema by which server-side apply compares and merges objects: which lists and maps managers own item by item,
//! and which as a whole ("atomic"). It is made from the table of Go types (`builtin.rs`), or from the schema of a
//! custom resource (`custom.rs`).
//!
//! An [`Atom`] defines a type: which scalar, list and map it allows. A [`TypeRef`] is a use of a type, by name or
//! inline. [`Schema::resolve`] looks the type up, [`Resolved::deduced`] narrows it by a value, and
//! [`Resolved::handled`] returns the kind (scalar, list or map) as which the value is treated.
//!
//! Upstream: `schema/elements.go`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::value::Value;

#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub(crate) types: HashMap<String, Atom>,
}

/// A type: the kinds of values that it allows. If it allows several, the form of the value decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atom {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<Arc<List>>,
    pub(crate) map: Option<Arc<MapType>>,
}

/// The scalars that a type allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Numeric,
    String,
    Boolean,
    /// Any scalar.
    Untyped,
}

/// The way in which managers share the items of a list or a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relationship {
    /// The list or map is one value with one owner.
    Atomic,
    /// Each item has its own owners: a set, or a list with keys.
    Associative,
    /// Each field has its own owners: a map or a struct.
    Separable,
}

#[derive(Debug)]
pub(crate) struct List {
    pub(crate) element: TypeRef,
    pub(crate) relationship: Relationship,
    /// The fields that identify an item; empty in a set.
    pub(crate) keys: Vec<String>,
}

/// The type of a map, of a struct, or of a struct that also allows undeclared fields.
#[derive(Debug)]
pub(crate) struct MapType {
    pub(crate) fields: BTreeMap<String, StructField>,
    /// The type of undeclared fields. Empty if they are not allowed.
    pub(crate) element: TypeRef,
    pub(crate) relationship: Relationship,
}

/// A declared field of a struct.
#[derive(Debug)]
pub(crate) struct StructField {
    pub(crate) of: TypeRef,
    /// The value of a missing field, where the field is a key of a list.
    pub(crate) default: Option<Value>,
}

/// A use of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeRef {
    pub(crate) kind: TypeKind,
    /// Overrides the relationship that the type declares.
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

/// The name of the type of values without a schema, whose kind is deduced from the value. Upstream:
/// `__untyped_deduced_`.
pub(crate) const DEDUCED: &str = "__untyped_deduced_";

/// A type after it was looked up, with the overrides of its use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Resolved<'s> {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<&'s List>,
    pub(crate) map: Option<&'s MapType>,
    /// The relationships that override those of the list or the map. If the type allows a map, only the map's is
    /// overridden.
    list_relationship: Option<Relationship>,
    map_relationship: Option<Relationship>,
}

impl Schema {
    /// Looks up a type. Returns `None` if no type has its name, or if a use overrides the relationship of a type that
    /// is neither list nor map.
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
    /// Narrows the allowed kinds to that of the value, if it is allowed. Upstream: `deduceAtom`.
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

    /// Returns the kind as which a value is treated. If several are allowed, a map comes first, then a scalar.
    /// Upstream: `handleAtom`.
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

    /// Returns true if the same kinds are allowed in both.
    pub(crate) fn is_same_choice(self, other: Self) -> bool {
        self.scalar.is_some() == other.scalar.is_some()
            && self.list.is_some() == other.list.is_some()
            && self.map.is_some() == other.map.is_some()
    }
}

/// The kind as which a value is treated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handled<'s> {
    Scalar(Scalar),
    List(&'s List, Relationship),
    Map(&'s MapType, Relationship),
}

impl MapType {
    pub(crate) fn type_of(&self, field: &str) -> &TypeRef {
        self.fields.get(field).map_or(&self.element, |field| &field.of)
    }
}

impl TypeRef {
    /// Returns true if the type allows nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.relationship.is_none()
            && matches!(&self.kind, TypeKind::Inlined(Atom { scalar: None, list: None, map: None }))
    }

    /// Returns the name of the type in messages; `None` for an inlined type.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.kind {
            TypeKind::Named(name) => Some(name),
            TypeKind::Inlined(_) => None,
        }
    }
}
