//! Writes the status of an object at the end of a sync.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::{DynamicObject, Patch, PatchParams};
use kube_informers::cache::ApiError;
use serde_json::{Value, json};

use super::error::SyncError;
use super::object::name;
use super::own_writes::OwnWrites;

/// Writes a status by a merge patch, and notes the write in `statuses`, so the next sync waits until the cache has it.
/// Adds the object's resourceVersion to the patch, which turns a patch of a stale state into a conflict, after which
/// the key is tried again.
pub(crate) async fn write(
    api: &Api<DynamicObject>,
    object: &ObjectMeta,
    mut patch: Value,
    key: &str,
    statuses: &OwnWrites,
) -> Result<DynamicObject, SyncError> {
    patch["metadata"]["resourceVersion"] = json!(object.resource_version);
    let written = api.patch_status(name(object), &PatchParams::default(), &Patch::Merge(patch)).await;
    let written = written.map_err(ApiError::from).map_err(|error| {
        let changed = error.status().is_some_and(|status| status.code == 409);
        let why = if changed { ", which was changed meanwhile" } else { "" };
        SyncError::refused(format!("write the status of {key}{why}"))(error)
    })?;
    statuses.wrote(key, written.metadata.resource_version.clone());
    Ok(written)
}

/// Returns true if the status `before` has all fields of `now`. An absent count means 0; only an absent
/// `collisionCount` does not, because its field is a pointer.
pub(crate) fn is_up_to_date(before: &Value, now: &Value) -> bool {
    now.as_object().into_iter().flatten().all(|(field, value)| {
        let old = &before[field];
        old == value || (old.is_null() && *value == 0 && field != "collisionCount")
    })
}
