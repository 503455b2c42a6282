//! Reads the pods of a Job: their state, their index, and the finalizer by which the controller counts each pod once.

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::shared::pods::phase;
pub(super) use crate::shared::pods::{has_ended, is_going, is_ready};

/// The finalizer that a pod has until the Job's status counts it.
pub(super) const TRACKED: &str = "batch.kubernetes.io/job-tracking";
/// The annotation and label with the pod's index in an indexed Job.
pub(super) const INDEX: &str = "batch.kubernetes.io/job-completion-index";

pub(super) fn uid(pod: &Pod) -> &str {
    pod.metadata.uid.as_deref().unwrap_or_default()
}

/// Returns true if the pod still has the finalizer, so it is not counted for good yet.
pub(super) fn is_tracked(metadata: &ObjectMeta) -> bool {
    metadata.finalizers.iter().flatten().any(|name| name == TRACKED)
}

pub(super) fn has_succeeded(pod: &Pod) -> bool {
    phase(pod) == "Succeeded"
}

pub(super) fn is_active(pod: &Pod) -> bool {
    !has_ended(pod) && !is_going(pod)
}

/// Returns the number of restarts of all containers together.
pub(super) fn restarts(pod: &Pod) -> i64 {
    let status = pod.status.iter();
    let all = status.flat_map(|status| [&status.init_container_statuses, &status.container_statuses]);
    all.flatten().flatten().map(|container| i64::from(container.restart_count)).sum()
}

pub(super) fn index(pod: &Pod) -> Option<i64> {
    pod.metadata.annotations.as_ref()?.get(INDEX)?.parse().ok().filter(|index| *index >= 0)
}

/// The sort key for deletions: the least valuable pods first, namely not running, not ready, young.
pub(super) fn loss(pod: &Pod) -> impl Ord + use<> {
    let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (phase(pod) == "Running", is_ready(pod), std::cmp::Reverse(created), pod.metadata.name.clone())
}
