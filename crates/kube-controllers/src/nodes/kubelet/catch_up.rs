//! The kubelet's reaction to a change of a pod by another client: it reports the generation of the spec that it has
//! seen, and the right condition `Ready`. In a running pod, it also starts ephemeral containers, restarts containers
//! with a new image, and applies resized resources. Upstream: `SyncPod` in
//! `pkg/kubelet/kuberuntime/kuberuntime_manager.go`, and `needsReconcile` in `pkg/kubelet/status`.

use super::container_status::{image_id, restarted as restarted_status};
use super::containers::StatusInputs;
use super::phase::is_terminal;
use super::pod_conditions;
use crate::nodes::items::items;
use kube_machinery::conventions::random::digest;
use kube_machinery::value::{Value, json};

/// The kubelet's reaction.
pub(super) struct CatchUp {
    /// A merge patch of the pod's status.
    pub(super) status: Value,
    /// The containers, as in the spec, that were started again.
    pub(super) restarted: Vec<Value>,
}

/// Returns the kubelet's reaction, or `None` if nothing changes.
pub(super) fn reaction(pod: &Value, now: &str) -> Option<CatchUp> {
    let (is_deleting, phase) = (!pod["metadata"]["deletionTimestamp"].is_null(), &pod["status"]["phase"]);
    if is_deleting || is_terminal(phase) {
        return None;
    }
    let (mut status, mut restarted) = (json!({}), Vec::new());
    if phase == "Running" {
        if let Some(started) = with_ephemeral_containers(pod, now) {
            status["ephemeralContainerStatuses"] = started;
        }
        if let Some(changed) = changed_containers(pod, now, &mut restarted) {
            status["containerStatuses"] = changed;
        }
    }
    if let Some(conditions) = observed(pod) {
        status["conditions"] = conditions;
        status["observedGeneration"] = pod["metadata"]["generation"].clone();
    } else if let Some(ready) = pod_conditions::right_ready(pod, now) {
        status["conditions"] = json!([ready]);
    }
    let is_empty = status.as_object().is_none_or(|changed| changed.is_empty());
    (!is_empty).then_some(CatchUp { status, restarted })
}

/// Returns the generation of the spec for each of the kubelet's conditions, or `None` if they have it, or never had one.
/// The other fields are left out, because the stages of the pod may change them meanwhile. Upstream:
/// `CalculatePodConditionObservedGeneration`.
fn observed(pod: &Value) -> Option<Value> {
    let (generation, seen) = (&pod["metadata"]["generation"], &pod["status"]["observedGeneration"]);
    if seen.is_null() || seen == generation {
        return None;
    }
    let own = items(&pod["status"]["conditions"]).iter().filter(|condition| !condition["observedGeneration"].is_null());
    Some(own.map(|condition| json!({"type": condition["type"], "observedGeneration": generation})).collect())
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

/// Returns the container statuses with the images and resources that the spec asks for now, or `None` if none has
/// changed. Adds the containers whose image has changed to `restarted`.
fn changed_containers(pod: &Value, now: &str, restarted: &mut Vec<Value>) -> Option<Value> {
    let mut statuses = items(&pod["status"]["containerStatuses"]).to_vec();
    let mut changed = false;
    let inputs = StatusInputs { now, pod_ip: "", host_ip: "", backoff: "" };
    for container in items(&pod["spec"]["containers"]) {
        let status = statuses.iter_mut().find(|status| status["name"] == container["name"]);
        let Some(status) = status.filter(|status| status["resources"].is_object()) else { continue };
        if status["image"] != container["image"] && status["state"]["running"].is_object() {
            *status = restarted_status(pod, container, status, &inputs);
            restarted.push(container.clone());
            changed = true;
        }
        if status["resources"] != container["resources"] {
            set_resources(status, &container["resources"]);
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
