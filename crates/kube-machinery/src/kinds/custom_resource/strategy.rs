//! The row that all custom resources share. Upstream: `customResourceStrategy` of
//! `pkg/registry/customresource/strategy.go`.

use super::finalizers;
use crate::conventions::edit::object;
use crate::kinds::columns;
use crate::kinds::metadata::FinalizerRule;
use crate::kinds::reset_fields::excluded;
use crate::kinds::resource::{
    Dispatcher, Generation, ObjectType, Resource, ResourceRow, Strategy, Subresource, UnconditionalUpdate,
};
use crate::kinds::strategy::DuplicateCauses;
use crate::managed_fields::Filter;
use crate::value::Value;

/// The row of every custom resource. Its names are in the definition, and so are its scope, its subresources and its
/// schema.
pub(super) const ROW: ResourceRow = ResourceRow {
    dispatcher: Dispatcher::CrdHandler,
    object_type: ObjectType::Unstructured,
    generation: Generation::CountedButMetadata,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    prepare_status_update: keep_all_but_status,
    warnings: finalizers::warnings,
    reset_fields,
    columns: columns::simple::NAME_ALONE,
    finalizer_rule: FinalizerRule::Usual,
    duplicate_causes: DuplicateCauses::Kept,
    ..ResourceRow::USUAL
};

/// Upstream: `GetResetFields` of `customResourceStrategy` and `statusStrategy`.
fn reset_fields(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        Some(Subresource::Status) => excluded(&[&["metadata"], &["spec"]]),
        _ if resource.subresources().contains(&Subresource::Status) => excluded(&[&["status"]]),
        _ => None,
    }
}

/// Restores everything but the status and the resourceVersion, which is a precondition. Upstream: `PrepareForUpdate` of
/// `statusStrategy`.
fn keep_all_but_status(new: &mut Value, old: &Value) {
    let status = new["status"].take();
    let version = new["metadata"]["resourceVersion"].take();
    *new = old.clone();
    new["metadata"]["resourceVersion"] = version;
    match status {
        Value::Null => drop(object(new).remove("status")),
        status => new["status"] = status,
    }
}
