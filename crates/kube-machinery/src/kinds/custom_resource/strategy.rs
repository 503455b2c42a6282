//! The row that all custom resources share. Upstream: `customResourceStrategy` of
//! `pkg/registry/customresource/strategy.go`.

use super::finalizers;
use crate::kinds::columns;
use crate::kinds::reset_fields::excluded;
use crate::kinds::resource::{Generation, Resource, ResourceRow, Strategy, Subresource, UnconditionalUpdate};
use crate::managed_fields::Filter;

/// The row of every custom resource. Its names are in the definition, and so are its scope, its subresources and its
/// schema.
pub(super) const ROW: ResourceRow = ResourceRow {
    generation: Generation::CountedButMetadata,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    warnings: finalizers::warnings,
    reset_fields,
    columns: columns::simple::NAME_ALONE,
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
