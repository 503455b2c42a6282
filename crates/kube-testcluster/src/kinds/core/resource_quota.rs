//! Resource quotas. Upstream: `pkg/apis/core`.

use serde_json::Value;

use crate::kinds::columns;
use crate::kinds::resource::{DeleteResponse, Resource, Subresource};
use crate::kinds::resource_list::round_up;
use crate::machinery::fill::part;

/// The row of a ResourceQuota.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "resourcequotas",
    singular: "resourcequota",
    kind: "ResourceQuota",
    storage_hash: "8uhSgffRX6w=",
    short_names: &["quota"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    columns: columns::policy::QUOTAS,
    ..Resource::USUAL
};

/// Upstream: `SetObjectDefaults_ResourceQuota`.
fn set_defaults(quota: &mut Value) {
    for (parent, field) in [("spec", "hard"), ("status", "hard"), ("status", "used")] {
        if let Some(parent) = part(quota, parent) {
            round_up(parent, field);
        }
    }
}
