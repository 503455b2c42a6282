//! Values of a schema's types. Upstream: the package `typed`.

mod compare;
mod errors;
mod items;
mod merging;
mod reconcile;
mod remove;
mod to_field_set;
mod validate;

use std::sync::Arc;

use super::fieldpath::{Filter, Set};
use super::schema::{Schema, TypeRef};
use crate::value::Value;

pub(crate) use self::errors::ValidationErrors;

/// A type of a schema.
#[derive(Clone, Debug)]
pub struct Type {
    pub(crate) schema: Arc<Schema>,
    pub(crate) of: TypeRef,
}

/// A value of a type.
#[derive(Clone, Debug)]
pub struct TypedValue {
    pub value: Value,
    pub(crate) of: Type,
}

/// Whether an item of a set or of a list with keys may be there twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    Allowed,
    Refused,
}

/// What differs between two values. No field is in two of the sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) removed: Set,
    /// What both have, with different values.
    pub(crate) modified: Set,
    pub(crate) added: Set,
}

impl TypedValue {
    /// A value that fits its type.
    ///
    /// # Errors
    /// What does not fit.
    pub fn new(value: Value, of: Type, duplicates: Duplicates) -> Result<Self, ValidationErrors> {
        validate::validate(&of, &value, duplicates)?;
        Ok(Self { value, of })
    }

    /// Every leaf and every item of the value.
    pub(crate) fn to_field_set(&self) -> Result<Set, ValidationErrors> {
        to_field_set::to_field_set(&self.of, &self.value)
    }

    /// This value with the fields of another over it. No field goes away. The items of a list are ordered as in this value
    /// if the other changes nothing in it, otherwise as in the other.
    pub(crate) fn merge(&self, other: &Self) -> Result<Self, ValidationErrors> {
        let value = merging::merge(&self.of, &self.value, &other.value)?;
        Ok(Self { value, of: self.of.clone() })
    }

    /// What of this value another one changes.
    pub(crate) fn compare(&self, other: &Self) -> Result<Comparison, ValidationErrors> {
        compare::compare(&self.of, &self.value, &other.value)
    }

    /// The value without these items and fields.
    pub(crate) fn remove_items(&self, items: &Set) -> Self {
        Self { value: remove::remove(&self.of, &self.value, items), of: self.of.clone() }
    }

    /// The set of fields as it is with today's schema, if it was written with another; `None` if it is the same.
    pub(crate) fn reconcile(&self, fields: &Set) -> Result<Option<Set>, ValidationErrors> {
        reconcile::reconcile(&self.of, fields)
    }
}

impl Comparison {
    /// Without what a filter takes away.
    pub(crate) fn filtered(self, filter: Option<&Filter>) -> Self {
        let Some(filter) = filter else { return self };
        Self {
            removed: filter.filter(&self.removed),
            modified: filter.filter(&self.modified),
            added: filter.filter(&self.added),
        }
    }
}
