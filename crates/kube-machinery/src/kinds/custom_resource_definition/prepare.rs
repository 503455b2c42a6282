//! What the server decides about a definition that is written. Upstream: `strategy.PrepareForCreate` and `PrepareForUpdate`.

use super::defaults::set_stored_versions;
use crate::kinds::fields::items;
use crate::kinds::resource::Change;
use crate::value::{Value, json};

/// The version in which objects are stored is noted in the status. An update of the status alone changes nothing else.
pub(super) fn prepare(new: &mut Value, change: &Change<'_>) {
    if change.part.is_some() {
        // Upstream's defaults do that when the stored object is read, which has the versions.
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
