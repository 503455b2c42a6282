//! Connects pods and ReplicaSets: reads a pod's owner, computes a pod's values in the index by owner, and makes new
//! pods from a ReplicaSet's template.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_core::Resource;

use super::spec;
use crate::shared::error::SyncError;
use crate::shared::object::orphans_of;
use crate::shared::slim_pod::SlimPod;
use kube_informers::cache::IndexValues;

/// Returns the owner reference of the ReplicaSet that controls a pod.
pub(super) fn owner(pod: &SlimPod) -> Option<&OwnerReference> {
    pod.controller().filter(|owner| owner.kind == "ReplicaSet" && owner.api_version == "apps/v1")
}

/// Returns the values of a pod in the index by owner: the uid of its ReplicaSet; without a controller, [`orphans_of`]
/// its namespace; with another controller, none.
pub(super) fn owner_index(pod: &SlimPod) -> IndexValues<'_> {
    match (pod.controller(), owner(pod)) {
        (None, _) => orphans_of(pod.namespace()).into(),
        (Some(_), owner) => owner.map(|owner| &owner.uid).into_iter().collect(),
    }
}

pub(super) fn owned_by(set: &ReplicaSet) -> Option<OwnerReference> {
    let owner = set.controller_owner_ref(&())?;
    Some(OwnerReference { block_owner_deletion: Some(true), ..owner })
}

/// Returns a new pod from the ReplicaSet's template. The server generates its name.
pub(super) fn new(set: &ReplicaSet) -> Result<Pod, SyncError> {
    let template = spec::template(set).cloned().ok_or(SyncError::NoTemplate)?;
    let metadata = template.metadata.unwrap_or_default(); // only fields that pods may share are copied
    let metadata = ObjectMeta {
        labels: metadata.labels,
        annotations: metadata.annotations,
        finalizers: metadata.finalizers,
        generate_name: set.metadata.name.as_ref().map(|name| format!("{name}-")),
        owner_references: Some(owned_by(set).into_iter().collect()),
        ..ObjectMeta::default()
    };
    Ok(Pod { metadata, spec: template.spec, status: None })
}
