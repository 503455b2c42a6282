//! Accessors for pods, which the scheduler and the kubelet share.

use kube_machinery::value::Value;

pub(crate) fn uid(pod: &Value) -> &str {
    pod["metadata"]["uid"].as_str().unwrap_or_default()
}
