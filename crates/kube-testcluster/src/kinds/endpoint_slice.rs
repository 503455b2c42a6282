//! Endpoint slices.

use crate::kinds::resource::{Generation, Resource};

/// The row of an EndpointSlice.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "discovery.k8s.io",
    plural: "endpointslices",
    singular: "endpointslice",
    kind: "EndpointSlice",
    storage_hash: "qgS0xkrxYAI=",
    generation: Generation::Counted,
    ..Resource::USUAL
};
