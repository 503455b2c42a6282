//! The ServiceAccount kind, the identity of the processes in a pod. Upstream: `pkg/registry/core/serviceaccount`.

use crate::conventions::edit::{list, object};
use crate::kinds::resource::{Change, DeleteResponse, ResourceRow, Subresource};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "serviceaccounts",
    singular: "serviceaccount",
    kind: "ServiceAccount",
    storage_hash: "pbx9ZvyFpBE=",
    short_names: &["sa"],
    subresources: &[Subresource::Token],
    delete_response: DeleteResponse::Object,
    prepare,
    ..ResourceRow::USUAL
};

/// Removes all fields but the name from the references to secrets. Upstream: `cleanSecretReferences`.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for secret in list(new, "secrets") {
        object(secret).retain(|field, _| field == "name");
    }
}
