//! Resource quotas.

use crate::kinds::resource::{DeleteResponse, Resource, Subresource};

/// The row of a ResourceQuota.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "resourcequotas",
    singular: "resourcequota",
    kind: "ResourceQuota",
    storage_hash: "8uhSgffRX6w=",
    short_names: &["quota"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
