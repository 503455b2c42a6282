//! Claims of persistent volumes.

use crate::kinds::resource::{DeleteResponse, Resource, Subresource};

/// The row of a PersistentVolumeClaim.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "persistentvolumeclaims",
    singular: "persistentvolumeclaim",
    kind: "PersistentVolumeClaim",
    storage_hash: "QWTyNDq0dC4=",
    short_names: &["pvc"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
