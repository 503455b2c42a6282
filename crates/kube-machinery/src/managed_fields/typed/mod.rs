//! Values with their types: a type tells which lists and maps are compared and merged item by item. Upstream: the
//! package `typed` of structured-merge-diff.

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

/// A type, with the schema that it refers to.
#[derive(Clone, Debug)]
pub struct Type {
    pub(crate) schema: Arc<Schema>,
    pub(crate) reference: TypeRef,
}

#[derive(Clone, Debug)]
pub struct TypedValue {
    pub value: Value,
    pub(crate) of: Type,
}

/// Decides if an item of a set or of a list with keys may occur twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    Allowed,
    Refused,
}

/// The fields in which two values differ. The three sets are disjoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) removed: Set,
    /// The fields that both values have, with different values.
    pub(crate) modified: Set,
    pub(crate) added: Set,
}

impl TypedValue {
    /// Returns a value after checking that it fits its type.
    ///
    /// # Errors
    /// The parts that do not fit.
    pub fn new(value: Value, of: Type, duplicates: Duplicates) -> Result<Self, ValidationErrors> {
        validate::validate(&of, &value, duplicates)?;
        Ok(Self { value, of })
    }

    /// Returns every leaf, every list item and every key of a map in the value: the fields that a manager owns after it
    /// applied this value.
    pub(crate) fn to_field_set(&self) -> Result<Set, ValidationErrors> {
        to_field_set::to_field_set(&self.of, &self.value)
    }

    /// Merges the fields of another value over this one. Atomic lists and maps are replaced; elsewhere, no field is
    /// removed. The list items that both values have take the other value's order.
    pub(crate) fn merge(&self, other: &Self) -> Result<Self, ValidationErrors> {
        let value = merging::merge(&self.of, &self.value, &other.value)?;
        Ok(Self { value, of: self.of.clone() })
    }

    pub(crate) fn compare(&self, other: &Self) -> Result<Comparison, ValidationErrors> {
        compare::compare(&self.of, &self.value, &other.value)
    }

    pub(crate) fn remove_items(&self, items: &Set) -> Self {
        Self { value: remove::remove(&self.of, &self.value, items), of: self.of.clone() }
    }

    /// Adapts a set of fields that an earlier schema produced to the current one; returns `None` if nothing changes.
    pub(crate) fn reconcile(&self, fields: &Set) -> Result<Option<Set>, ValidationErrors> {
        reconcile::reconcile(&self.of, fields)
    }
}

impl Comparison {
    /// Removes the fields that a filter takes away.
    pub(crate) fn filtered(self, filter: Option<&Filter>) -> Self {
        let Some(filter) = filter else { return self };
        Self {
            removed: filter.filter(&self.removed),
            modified: filter.filter(&self.modified),
            added: filter.filter(&self.added),
        }
    }
}
