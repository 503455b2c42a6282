//! Limit ranges.

use crate::kinds::resource::{Resource, Strategy};

/// The row of a LimitRange.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "limitranges",
    singular: "limitrange",
    kind: "LimitRange",
    storage_hash: "EBKMFVe6cwo=",
    short_names: &["limits"],
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
