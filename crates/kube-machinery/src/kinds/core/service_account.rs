//! The ServiceAccount kind, the identity of the processes in a pod. Upstream: `pkg/registry/core/serviceaccount`.

use crate::conventions::edit::{list, object};
use crate::kinds::metadata::UpdatedMetadata;
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
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    warnings,
    ..ResourceRow::USUAL
};

/// Removes all fields but the name from the references to secrets. Upstream: `cleanSecretReferences`.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for secret in list(new, "secrets") {
        object(secret).retain(|field, _| field == "name");
    }
}

const MOUNTABLE: &str = "kubernetes.io/enforce-mountable-secrets";

/// Warns of an annotation that a write adds. Upstream: `warnIfHasEnforceMountableSecretsAnnotation`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let has = |account: &Value| account["metadata"]["annotations"].get(MOUNTABLE).is_some();
    if !has(new) || old.is_some_and(has) {
        return Vec::new();
    }
    let why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    vec![format!("metadata.annotations[{MOUNTABLE}]: {why}")]
}
