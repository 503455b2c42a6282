//! The kubelet's reaction to a changed spec of a running pod: it starts ephemeral containers, and applies resized
//! resources. Upstream: `SyncPod` in `pkg/kubelet/kuberuntime/kuberuntime_manager.go`.

use super::containers::image_id;
use crate::nodes::items::items;
use kube_machinery::conventions::random::digest;
use kube_machinery::value::{Value, json};

/// Returns a merge patch that brings the status up to date with the spec, or `None` if nothing changes.
pub(super) fn status(pod: &Value, now: &str) -> Option<Value> {
    let is_deleting = !pod["metadata"]["deletionTimestamp"].is_null();
    if is_deleting || pod["status"]["phase"] != "Running" {
        return None;
    }
    let mut status = json!({});
    if let Some(started) = with_ephemeral_containers(pod, now) {
        status["ephemeralContainerStatuses"] = started;
    }
    if let Some(resized) = resized(pod) {
        status["containerStatuses"] = resized;
    }
    status.as_object().is_some_and(|changed| !changed.is_empty()).then_some(status)
}

/// Returns the statuses of all ephemeral containers (`kubectl debug` adds them) if some of them are new, or `None`. The
/// new ones run until the pod ends, because no step of the simulated kubelet (`Stages`) ends them.
fn with_ephemeral_containers(pod: &Value, now: &str) -> Option<Value> {
    let mut statuses = items(&pod["status"]["ephemeralContainerStatuses"]).to_vec();
    let before = statuses.len();
    for container in items(&pod["spec"]["ephemeralContainers"]) {
        if statuses.iter().any(|status| status["name"] == container["name"]) {
            continue;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, image, uid) = (text(&container["name"]), text(&container["image"]), text(&pod["metadata"]["uid"]));
        statuses.push(json!({
            "name": name, "image": image, "imageID": image_id(&image), "ready": false, "restartCount": 0,
            "containerID": format!("containerd://{}", digest(&format!("{uid}/{name}/0"))),
            "state": {"running": {"startedAt": now}}, "lastState": {}, "resources": {},
        }));
    }
    (statuses.len() > before).then_some(Value::Array(statuses.into()))
}

/// Returns the container statuses with the resources that the spec asks for now, or `None` if none has changed.
fn resized(pod: &Value) -> Option<Value> {
    let mut statuses = items(&pod["status"]["containerStatuses"]).to_vec();
    let mut changed = false;
    for container in items(&pod["spec"]["containers"]) {
        let wanted = &container["resources"];
        let status = statuses.iter_mut().find(|status| status["name"] == container["name"]);
        let status = status.filter(|status| status["resources"].is_object() && status["resources"] != *wanted);
        if let Some(status) = status {
            set_resources(status, wanted);
            changed = true;
        }
    }
    changed.then_some(Value::Array(statuses.into()))
}

/// Writes a container's resources into its status. Upstream: `convertToAPIContainerStatuses`.
pub(super) fn set_resources(status: &mut Value, resources: &Value) {
    status["resources"] = if resources.is_object() { resources.clone() } else { json!({}) };
    if resources["requests"].is_object() {
        status["allocatedResources"] = resources["requests"].clone();
    }
}
