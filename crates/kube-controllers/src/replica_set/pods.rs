//! Connects pods and ReplicaSets: reads a pod's owner, computes a pod's values in the index by owner, and makes new
//! pods from a ReplicaSet's template.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_client::api::ApiResource;

use super::spec;
use crate::shared::error::SyncError;
use crate::shared::object::orphans_of;
use crate::shared::slim_pod::SlimPod;
use kube_informers::cache::IndexValues;

/// Returns the owner reference of the ReplicaSet that controls a pod. `kind` is the kind that the controller works on.
pub(super) fn owner<'a>(pod: &'a SlimPod, kind: &ApiResource) -> Option<&'a OwnerReference> {
    pod.controller().filter(|owner| owner.kind == kind.kind && owner.api_version == kind.api_version)
}

/// Returns the values of a pod in the index by owner: the uid of its ReplicaSet; without a controller, [`orphans_of`]
/// its namespace; with another controller, none.
pub(super) fn owner_index<'a>(pod: &'a SlimPod, kind: &ApiResource) -> IndexValues<'a> {
    match (pod.controller(), owner(pod, kind)) {
        (None, _) => orphans_of(pod.namespace()).into(),
        (Some(_), owner) => owner.map(|owner| &owner.uid).into_iter().collect(),
    }
}

pub(super) fn owned_by(set: &ReplicaSet, kind: &ApiResource) -> OwnerReference {
    OwnerReference {
        api_version: kind.api_version.clone(),
        kind: kind.kind.clone(),
        name: set.metadata.name.clone().unwrap_or_default(),
        uid: set.metadata.uid.clone().unwrap_or_default(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// Returns a new pod from the ReplicaSet's template. The server generates its name.
pub(super) fn new(set: &ReplicaSet, kind: &ApiResource) -> Result<Pod, SyncError> {
    let template = spec::template(set).cloned().ok_or(SyncError::NoTemplate)?;
    let metadata = template.metadata.unwrap_or_default(); // only fields that pods may share are copied
    let metadata = ObjectMeta {
        labels: metadata.labels,
        annotations: metadata.annotations,
        finalizers: metadata.finalizers,
        generate_name: set.metadata.name.as_ref().map(|name| format!("{name}-")),
        owner_references: Some(vec![owned_by(set, kind)]),
        ..ObjectMeta::default()
    };
    Ok(Pod { metadata, spec: template.spec, status: None })
}
