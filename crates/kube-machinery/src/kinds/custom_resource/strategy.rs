//! What all custom resources have in common. Upstream: `customResourceStrategy` of
//! `pkg/registry/customresource/strategy.go`.

use super::finalizers;
use crate::kinds::columns;
use crate::kinds::resource::{Generation, ResourceRow, Strategy, UnconditionalUpdate};

/// The row of every custom resource. Its names are in the definition, and so are its scope, its subresources and its
/// schema.
pub(super) const ROW: ResourceRow = ResourceRow {
    generation: Generation::CountedButMetadata,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    warnings: finalizers::warnings,
    columns: columns::simple::NAME_ALONE,
    ..ResourceRow::USUAL
};
