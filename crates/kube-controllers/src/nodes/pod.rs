//! A pod as the scheduler and the kubelet read it.

use kube_machinery::value::Value;

/// The uid of a pod.
pub(crate) fn uid(pod: &Value) -> &str {
    pod["metadata"]["uid"].as_str().unwrap_or_default()
}
