//! Service accounts.

use super::resource::{DeleteResponse, Resource};

/// The row of a ServiceAccount.
pub(super) const ROW: Resource = Resource {
    plural: "serviceaccounts",
    singular: "serviceaccount",
    kind: "ServiceAccount",
    storage_hash: "pbx9ZvyFpBE=",
    short_names: &["sa"],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
