//! Service accounts.

use crate::kinds::resource::{DeleteResponse, Resource};

/// The row of a ServiceAccount.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "serviceaccounts",
    singular: "serviceaccount",
    kind: "ServiceAccount",
    storage_hash: "pbx9ZvyFpBE=",
    short_names: &["sa"],
    delete_response: DeleteResponse::Object,
    ..Resource::USUAL
};
