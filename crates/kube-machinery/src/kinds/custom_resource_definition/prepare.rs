//! Changes to a CustomResourceDefinition before it is validated and written. `status.storedVersions` lists all versions in which objects
//! may be stored. Upstream: `strategy.PrepareForCreate` and `PrepareForUpdate`.

use super::defaults::set_stored_versions;
use crate::kinds::fields::items;
use crate::kinds::resource::Change;
use crate::value::{Value, json};

/// Resets the status of a new definition, and adds the storage version to `status.storedVersions`.
pub(super) fn prepare(new: &mut Value, change: &Change<'_>) {
    if change.subresource.is_some() {
        // Upstream fills in missing storedVersions as a default, when it decodes the definition.
        return set_stored_versions(new);
    }
    if change.old.is_none() {
        new["status"] =
            json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": null});
    }
    let storage = items(&new["spec"], "versions").iter().find(|version| version["storage"] == true);
    let Some(storage) = storage.map(|version| version["name"].clone()) else { return };
    match &mut new["status"]["storedVersions"] {
        Value::Array(names) if names.contains(&storage) => {}
        Value::Array(names) => names.push(storage),
        none => *none = json!([storage]),
    }
}
