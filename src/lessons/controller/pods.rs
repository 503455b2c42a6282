//! A ReplicaSet's pods: whose they are, which count, which go first, and what a new one looks like.

use std::cmp::Reverse;

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kube::api::{ApiResource, DynamicObject};

/// The reference to the ReplicaSet that controls a pod, if one does.
pub(super) fn owner(pod: &Pod) -> Option<&OwnerReference> {
    let mut owners = pod.metadata.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true) && owner.kind == "ReplicaSet" && owner.api_version == "apps/v1")
}

/// Neither going nor done.
pub(super) fn is_active(pod: &Pod) -> bool {
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    pod.metadata.deletion_timestamp.is_none() && !matches!(phase, Some("Succeeded" | "Failed"))
}

pub(super) fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// What is lost least by comes first: not ready before ready, young before old.
pub(super) fn first_to_go(pod: &Pod) -> impl Ord + use<> {
    let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (is_ready(pod), Reverse(created), pod.metadata.name.clone())
}

/// A pod of the template, owned by the ReplicaSet. The server completes its name.
pub(super) fn new(set: &ReplicaSet) -> Result<DynamicObject> {
    let template = set.spec.template.clone().context("the ReplicaSet has no template")?;
    let spec = serde_json::to_value(template.spec)?;
    let mut pod = DynamicObject::new("", &ApiResource::erase::<Pod>(&())).data(serde_json::json!({ "spec": spec }));
    pod.metadata = template.metadata.unwrap_or_default();
    pod.metadata.generate_name = set.metadata.name.as_ref().map(|name| format!("{name}-"));
    pod.metadata.owner_references = Some(set.controller_owner_ref(&()).into_iter().collect());
    Ok(pod)
}
