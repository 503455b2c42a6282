//! The changes that the server makes to a CustomResourceDefinition before it validates and writes it: a new definition
//! gets an empty status, and the storage version is added to `status.storedVersions`, the list of all versions in which
//! objects may be stored. Upstream: `strategy.PrepareForCreate` and `PrepareForUpdate`.

use super::defaults::set_stored_versions;
use crate::kinds::fields::items;
use crate::kinds::resource::Change;
use crate::value::{Value, json};

/// Resets the status of a new definition, and adds the storage version to `status.storedVersions`. A write to `/status`
/// sets that list itself; only a missing list is filled in.
pub(super) fn prepare(new: &mut Value, change: &Change<'_>) {
    if change.subresource.is_some() {
        // A write to `/status` keeps the stored spec. But the defaults were set from the spec of the body, which may
        // lack the storage version. Upstream sets this default again when it decodes the stored definition.
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
