//! Ingresses.

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of an Ingress.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "networking.k8s.io",
    plural: "ingresses",
    singular: "ingress",
    kind: "Ingress",
    storage_hash: "39NQlfNR+bo=",
    short_names: &["ing"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    columns: columns::networking::INGRESSES,
    ..Resource::USUAL
};
