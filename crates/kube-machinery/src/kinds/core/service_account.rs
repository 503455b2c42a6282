//! Service accounts.

use crate::conventions::fill::{list, object};
use crate::kinds::resource::{Change, DeleteResponse, Resource, Subresource};
use crate::value::Value;

/// The row of a ServiceAccount.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "serviceaccounts",
    singular: "serviceaccount",
    kind: "ServiceAccount",
    storage_hash: "pbx9ZvyFpBE=",
    short_names: &["sa"],
    subresources: &[Subresource::Token],
    delete_response: DeleteResponse::Object,
    prepare,
    ..Resource::USUAL
};

/// Of the secrets only their names count. Upstream: `cleanSecretReferences`.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for secret in list(new, "secrets") {
        object(secret).retain(|field, _| field == "name");
    }
}
