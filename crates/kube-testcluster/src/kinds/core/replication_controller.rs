//! Replication controllers.

use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a ReplicationController.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "replicationcontrollers",
    singular: "replicationcontroller",
    kind: "ReplicationController",
    storage_hash: "Jond2If31h0=",
    short_names: &["rc"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    fields: &[("status.replicas", "/status/replicas", "0")],
    ..Resource::USUAL
};
