//! Adds and removes the finalizer of a controller that protects objects in use. Upstream:
//! `pkg/controller/volume/protectionutil`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::{DynamicObject, Patch, PatchParams};
use serde_json::json;

use super::error::SyncError;
use super::object::name;

/// Returns true if the object is being deleted, and waits for this finalizer. Upstream: `IsDeletionCandidate`.
pub(crate) fn is_deletion_candidate(object: &ObjectMeta, finalizer: &str) -> bool {
    object.deletion_timestamp.is_some() && has(object, finalizer)
}

/// Returns true if the object is not being deleted, and lacks the finalizer. Upstream: `NeedToAddFinalizer`.
pub(crate) fn needs_finalizer(object: &ObjectMeta, finalizer: &str) -> bool {
    object.deletion_timestamp.is_none() && !has(object, finalizer)
}

fn has(object: &ObjectMeta, finalizer: &str) -> bool {
    object.finalizers.iter().flatten().any(|one| one == finalizer)
}

pub(crate) async fn add(api: &Api<DynamicObject>, object: &ObjectMeta, finalizer: &str) -> Result<(), SyncError> {
    let kept = object.finalizers.iter().flatten().map(String::as_str);
    write(api, object, kept.chain([finalizer]).collect()).await
}

pub(crate) async fn remove(api: &Api<DynamicObject>, object: &ObjectMeta, finalizer: &str) -> Result<(), SyncError> {
    let kept = object.finalizers.iter().flatten().map(String::as_str).filter(|one| *one != finalizer);
    write(api, object, kept.collect()).await
}

async fn write(api: &Api<DynamicObject>, object: &ObjectMeta, finalizers: Vec<&str>) -> Result<(), SyncError> {
    let metadata = json!({"resourceVersion": object.resource_version, "finalizers": finalizers});
    let patch = Patch::Merge(json!({ "metadata": metadata }));
    match api.patch(name(object), &PatchParams::default(), &patch).await {
        Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()), // another client has removed the object
        written => written.map(drop).map_err(SyncError::refused(format!("write the finalizers of {}", name(object)))),
    }
}
