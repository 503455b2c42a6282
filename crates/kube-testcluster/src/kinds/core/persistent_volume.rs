//! Persistent volumes.

use crate::kinds::resource::{DeleteResponse, Resource, Scope, Subresource};

/// The row of a PersistentVolume.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "persistentvolumes",
    singular: "persistentvolume",
    kind: "PersistentVolume",
    storage_hash: "HN/zwEC+JgM=",
    scope: Scope::Cluster,
    short_names: &["pv"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
