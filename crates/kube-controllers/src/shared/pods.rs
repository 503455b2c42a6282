//! Reads the state of typed pods: phase, readiness, availability, deletion. The controllers of DaemonSets,
//! StatefulSets, Jobs and EndpointSlices share it. Upstream: `pkg/api/v1/pod`.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodCondition};

pub(crate) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default()
}

/// Returns true if a pod is being deleted.
pub(crate) fn is_going(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
}

/// Returns true if all containers of a pod have ended for good.
pub(crate) fn has_ended(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

pub(crate) fn is_ready(pod: &Pod) -> bool {
    ready(pod).is_some()
}

/// Returns true if a pod is ready and, unless `min_ready_seconds` is 0, has been ready for longer than that. Upstream:
/// `IsPodAvailable`.
pub(crate) fn is_available(pod: &Pod, min_ready_seconds: i64, now: Timestamp) -> bool {
    let Some(ready) = ready(pod) else { return false };
    let since = ready.last_transition_time.as_ref().map(|time| time.0.as_second());
    min_ready_seconds == 0 || since.is_some_and(|since| now.as_second() - since > min_ready_seconds)
}

/// Returns the condition `Ready`, if it is true.
fn ready(pod: &Pod) -> Option<&PodCondition> {
    let mut conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.find(|condition| condition.type_ == "Ready" && condition.status == "True")
}

/// Returns the value of a label, or an empty text.
pub(crate) fn label<'a>(pod: &'a Pod, key: &str) -> &'a str {
    pod.metadata.labels.as_ref().and_then(|labels| labels.get(key)).map(String::as_str).unwrap_or_default()
}
