//! Reads the uid of a pod in the form of a JSON value, for the scheduler and the kubelet, which know pods by their uid.

use kube_machinery::value::Value;

pub(crate) fn uid(pod: &Value) -> &str {
    pod["metadata"]["uid"].as_str().unwrap_or_default()
}
