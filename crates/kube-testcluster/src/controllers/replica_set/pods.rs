//! The pods of a ReplicaSet: their owner, whether they count, and how a new one is made.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use k8s_openapi::jiff::Timestamp;
use kube_client::api::{ApiResource, DynamicObject};
use kube_core::Resource;

use super::spec;
use crate::controllers::shared::error::SyncError;
use kube_informers::cache::IndexValues;

/// The reference to a pod's controller.
pub(super) fn controller(pod: &Pod) -> Option<&OwnerReference> {
    pod.metadata.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))
}

/// The reference to a pod's controller, if that is a ReplicaSet.
pub(super) fn owner(pod: &Pod) -> Option<&OwnerReference> {
    controller(pod).filter(|owner| owner.kind == "ReplicaSet" && owner.api_version == "apps/v1")
}

/// The values of a pod in the index by owner.
pub(super) fn owner_index(pod: &Pod) -> IndexValues<'_> {
    match (controller(pod), owner(pod)) {
        (None, _) => orphans_of(pod.metadata.namespace.as_deref().unwrap_or_default()).into(),
        (Some(_), owner) => owner.map(|owner| &owner.uid).into_iter().collect(),
    }
}

/// The index value of the pods of a namespace that have no controller. No uid looks like this.
pub(super) fn orphans_of(namespace: &str) -> String {
    format!("{namespace}/")
}

/// Neither being deleted nor ended.
pub(super) fn is_active(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    pod.metadata.deletion_timestamp.is_none() && !matches!(phase, Some("Succeeded" | "Failed"))
}

pub(super) fn is_ready(pod: &Pod) -> bool {
    ready(pod).is_some()
}

/// Since when a pod is ready, according to its status.
pub(super) fn ready_since(pod: &Pod) -> Option<Timestamp> {
    ready(pod)?.last_transition_time.as_ref().map(|time| time.0)
}

fn ready(pod: &Pod) -> Option<&PodCondition> {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.find(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// The owner reference of a ReplicaSet's pod.
pub(super) fn owned_by(set: &ReplicaSet) -> Option<OwnerReference> {
    let owner = set.controller_owner_ref(&())?;
    Some(OwnerReference { block_owner_deletion: Some(true), ..owner })
}

/// A new pod from the ReplicaSet's template. The server generates its name.
pub(super) fn new(set: &ReplicaSet) -> Result<DynamicObject, SyncError> {
    let template = spec::template(set).cloned().ok_or(SyncError::NoTemplate)?;
    let spec = serde_json::to_value(template.spec).map_err(|_| SyncError::NoTemplate)?;
    let mut pod = DynamicObject::new("", &ApiResource::erase::<Pod>(&())).data(serde_json::json!({ "spec": spec }));
    let metadata = template.metadata.unwrap_or_default(); // of which only what pods may share is taken
    pod.metadata.labels = metadata.labels;
    pod.metadata.annotations = metadata.annotations;
    pod.metadata.finalizers = metadata.finalizers;
    pod.metadata.generate_name = set.metadata.name.as_ref().map(|name| format!("{name}-"));
    pod.metadata.owner_references = Some(owned_by(set).into_iter().collect());
    Ok(pod)
}
