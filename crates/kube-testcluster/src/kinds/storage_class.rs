//! Storage classes.

use crate::kinds::resource::{DeleteResponse, Resource, Scope};

/// The row of a StorageClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "storage.k8s.io",
    plural: "storageclasses",
    singular: "storageclass",
    kind: "StorageClass",
    storage_hash: "K+m6uJwbjGY=",
    scope: Scope::Cluster,
    short_names: &["sc"],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
