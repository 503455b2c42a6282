//! Stateful sets.

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a StatefulSet.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "apps",
    plural: "statefulsets",
    singular: "statefulset",
    kind: "StatefulSet",
    storage_hash: "H+vl74LkKdo=",
    short_names: &["sts"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    columns: columns::workloads::STATEFUL_SETS,
    ..Resource::USUAL
};
