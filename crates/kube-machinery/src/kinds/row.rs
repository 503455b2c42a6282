//! The type [`ResourceRow`]: one row in the table of kinds (`served`). It has the properties of a kind in one version,
//! such as its names, its defaults and its validation, as data and functions.

use std::cmp::Ordering;

use super::columns::{self, Column};
use super::field_selector::FieldRow;
use super::metadata::{FinalizerRule, UpdatedMetadata};
use super::names::NameRule;
use super::registry::{Dispatcher, ObjectType, StorageForm, TableConvertor};
use super::reset_fields;
use super::resource::{Allocator, Change, Resource};
use super::stored_form::StoredForm;
use super::strategy::{DeleteResponse, Deletion, DuplicateCauses, Generation, Strategy};
use super::subresource::Subresource;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::managed_fields::Filter;
use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Namespaced,
    Cluster,
}

/// The way the objects of a kind are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    Stored,
    /// A POST of an object is answered, and nothing is stored.
    Review,
    /// Objects are computed for each request.
    Computed,
}

/// A function that finds the index of an object in a list.
type FindDefault = fn(&[Value]) -> Option<usize>;

/// The properties of a built-in kind in one version, or those that all custom resources share. The names are private,
/// because those of a custom resource are in its definition: [`Resource`] has methods for both.
///
/// [`Resource`]: super::resource::Resource
#[derive(Debug)]
pub struct ResourceRow {
    /// Empty for the core group.
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    /// Unique in its group.
    pub(super) plural: &'static str,
    pub(super) singular: &'static str,
    pub(super) kind: &'static str,
    /// The storageVersionHash in discovery; empty for a kind that is not stored.
    pub(super) storage_hash: &'static str,
    pub serving: Serving,
    pub dispatcher: Dispatcher,
    pub object_type: ObjectType,
    pub table_convertor: TableConvertor,
    pub(super) storage_form: StorageForm,
    pub(super) scope: Scope,
    pub(super) short_names: &'static [&'static str],
    pub(super) categories: &'static [&'static str],
    pub(super) subresources: &'static [Subresource],
    pub deletion: Deletion,
    pub delete_response: DeleteResponse,
    pub generation: Generation,
    pub strategy: Strategy,
    /// True if the watch cache answers lists and gets. Watches always come from the watch cache.
    pub cached: bool,
    /// The fields that field selectors support, besides `metadata.name` and `metadata.namespace`.
    pub(super) fields: &'static [FieldRow<'static>],
    pub(crate) name_rule: NameRule,
    pub(super) finalizer_rule: FinalizerRule,
    pub(super) updated_metadata: UpdatedMetadata,
    pub(super) duplicate_causes: DuplicateCauses,
    pub defaults: fn(&mut Value),
    /// Sets the defaults outside of the spec, for an update that leaves the spec unchanged.
    pub(super) defaults_but_spec: Option<fn(&mut Value)>,
    /// Changes an object before it is validated and written. Upstream: `PrepareForCreate` and `PrepareForUpdate`.
    pub prepare: fn(&mut Value, &Change<'_>),
    /// Restores the fields that an update of the status or of the approval cannot change: the new state, then the old
    /// one. Upstream: `PrepareForUpdate` of the status strategy. `prepare` may restore more.
    pub prepare_status_update: fn(&mut Value, &Value),
    /// Changes a valid object before it is written. Upstream: `Canonicalize`.
    pub canonicalize: fn(&mut Value),
    /// Validates a new object, or an update: the new state, then the old one. Metadata is validated separately.
    pub validate: fn(&Value, Option<&Value>) -> Causes,
    /// Validates an update of the status, but not the rest of the object again.
    pub(crate) validate_status: fn(&Value, Option<&Value>) -> Causes,
    /// Validates an update through a subresource other than the status: the new state, then the old one.
    pub(crate) validate_subresource: fn(Subresource, &Value, &Value) -> Causes,
    /// Returns the warnings about a valid new object, or about a valid update: the new state, then the old one.
    /// Upstream: `WarningsOnCreate` and `WarningsOnUpdate`.
    pub warnings: fn(&Value, Option<&Value>) -> Vec<String>,
    /// Returns the warnings about a valid update of the status. Upstream: `WarningsOnUpdate` of the status strategy.
    pub status_warnings: fn(&Value) -> Vec<String>,
    /// Returns the fields that a write to a subresource (`None` for the object itself) cannot change, in the served
    /// form of the kind. Upstream: `GetResetFields` and `GetResetFieldsFilter`.
    pub reset_fields: fn(&Resource, Option<Subresource>) -> Option<Filter>,
    /// Makes the allocator of a kind whose objects need values of their own, such as addresses and ports of services.
    pub allocator: Option<fn() -> Box<dyn Allocator>>,
    /// The warning for every request of a deprecated kind. Upstream: `APILifecycleDeprecated`.
    pub(super) deprecation: Option<&'static str>,
    pub columns: &'static [Column],
    /// Orders the rows of a list's Table, for a kind whose rows upstream sorts.
    pub table_order: Option<fn(&Value, &Value) -> Ordering>,
    /// Finds the object that a Table of a list marks as the default, if upstream marks one.
    pub default_in_list: Option<FindDefault>,
    /// Returns the conditions of an object's row in a Table, if it has any.
    pub row_conditions: fn(&Value) -> Option<Value>,
    /// The stored form, for a kind whose objects are stored as those of another row. The functions of such a row get
    /// the stored form. All but the validation are those of the other row.
    pub stored_form: Option<&'static StoredForm>,
}

impl ResourceRow {
    /// The properties of most kinds, without names.
    pub(super) const USUAL: Self = Self {
        group: "",
        version: "v1",
        plural: "",
        singular: "",
        kind: "",
        storage_hash: "",
        serving: Serving::Stored,
        dispatcher: Dispatcher::GoRestful,
        object_type: ObjectType::Struct,
        table_convertor: TableConvertor::Columns,
        storage_form: StorageForm::Protobuf,
        scope: Scope::Namespaced,
        short_names: &[],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        strategy: Strategy::USUAL,
        cached: true,
        fields: &[],
        name_rule: NameRule::Subdomain,
        finalizer_rule: FinalizerRule::Qualified,
        updated_metadata: UpdatedMetadata::Change,
        duplicate_causes: DuplicateCauses::Removed,
        defaults: unchanged,
        defaults_but_spec: None,
        prepare: no_preparation,
        prepare_status_update: keep_all_but_metadata_and_status,
        canonicalize: unchanged,
        validate: no_causes,
        validate_status: no_causes,
        validate_subresource: no_subresource,
        warnings: no_warnings,
        status_warnings: |_| Vec::new(),
        reset_fields: reset_fields::usual,
        allocator: None,
        deprecation: None,
        columns: columns::simple::OTHERS,
        table_order: None,
        default_in_list: None,
        row_conditions: |_| None,
        stored_form: None,
    };
}

fn unchanged(_: &mut Value) {}

fn no_preparation(_: &mut Value, _: &Change<'_>) {}

fn keep_all_but_metadata_and_status(new: &mut Value, old: &Value) {
    let new = object(new);
    let is_changed = |field: &str| matches!(field, "metadata" | "status");
    new.retain(|field, _| is_changed(field) || old.get(field).is_some());
    for (field, value) in old.as_object().into_iter().flatten().filter(|(field, _)| !is_changed(field)) {
        new.insert(field.clone(), value.clone());
    }
}

fn no_warnings(_: &Value, _: Option<&Value>) -> Vec<String> {
    Vec::new()
}

/// The validation of a kind that only validates metadata.
fn no_causes(_: &Value, _: Option<&Value>) -> Causes {
    Causes::new()
}

/// The validation of a kind without subresources of its own.
fn no_subresource(_: Subresource, _: &Value, _: &Value) -> Causes {
    Causes::new()
}
