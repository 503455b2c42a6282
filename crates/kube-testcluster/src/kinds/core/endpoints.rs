//! Endpoints.

use crate::kinds::resource::{Resource, Strategy};

/// The row of an Endpoints.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "endpoints",
    singular: "endpoints",
    kind: "Endpoints",
    storage_hash: "fWeeMqaN/OA=",
    short_names: &["ep"],
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
