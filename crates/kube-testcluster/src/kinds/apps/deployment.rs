//! Deployments.

use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a Deployment.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "apps",
    plural: "deployments",
    singular: "deployment",
    kind: "Deployment",
    storage_hash: "8aSe+NMegvE=",
    short_names: &["deploy"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    ..Resource::USUAL
};
