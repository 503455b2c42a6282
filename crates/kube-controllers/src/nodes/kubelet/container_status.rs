//! The status of one container after a change of its state, as a real kubelet reports it. Upstream:
//! `convertToAPIContainerStatuses` in `pkg/kubelet/kubelet_pods.go`, and the readiness that `pkg/kubelet/prober` adds.

use super::catch_up::set_resources;
use super::containers::StatusInputs;
use super::texts::filled;
use crate::nodes::stages::ContainerState;
use kube_machinery::conventions::random::digest;
use kube_machinery::value::{Value, json};

/// The reasons of a container that waits to be created: in a pod without init containers, and in a pod with them.
pub(super) const CREATING: &str = "ContainerCreating";
pub(super) const INITIALIZING: &str = "PodInitializing";

/// The way in which a container becomes ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerType {
    /// A regular container, or a sidecar: ready while it runs.
    Regular,
    /// An init container that is no sidecar: ready once it has succeeded.
    Init,
}

impl ContainerType {
    pub(super) fn of_init(container: &Value) -> Self {
        if is_sidecar(container) { Self::Regular } else { Self::Init }
    }
}

/// Returns true if an init container keeps running beside the regular containers. Upstream:
/// `IsRestartableInitContainer`.
pub(super) fn is_sidecar(init_container: &Value) -> bool {
    init_container["restartPolicy"] == "Always"
}

/// Returns the status of one container after the change `to`.
pub(super) fn next(
    pod: &Value,
    (container, kind): (&Value, ContainerType),
    old: Option<&Value>,
    to: &ContainerState,
    inputs: &StatusInputs<'_>,
) -> Value {
    let name = container["name"].as_str().unwrap_or_default();
    let image = container["image"].as_str().unwrap_or_default();
    let unknown = json!({
        "name": name, "image": image, "imageID": "", "ready": false, "started": false, "restartCount": 0,
        "state": {}, "lastState": {},
    });
    let old = old.cloned().unwrap_or(unknown);
    let metadata = &pod["metadata"];
    let text = |field: &str| metadata[field].as_str().unwrap_or_default();
    let names = [
        ("container", name),
        ("image", image),
        ("pod", text("name")),
        ("namespace", text("namespace")),
        ("uid", text("uid")),
        ("backoff", inputs.backoff),
        ("now", inputs.now),
    ];
    let message_text = |message: &Option<String>| message.as_ref().map(|message| filled(message, &names));
    let (ended, running) = (&old["state"]["terminated"], &old["state"]["running"]);
    let mut new = old.clone();
    match to {
        ContainerState::Waiting { reason, message } => {
            let initializing = reason == CREATING && pod["spec"]["initContainers"].is_array();
            let reason = if initializing { INITIALIZING } else { reason };
            new["state"] = json!({"waiting": with_message(json!({"reason": reason}), message_text(message))});
            if ended.is_object() {
                new["lastState"] = json!({"terminated": ended});
            }
            (new["ready"], new["started"]) = (json!(false), json!(false));
        }
        ContainerState::Running { ready } => {
            if !running.is_object() {
                if ended.is_object() {
                    new["lastState"] = json!({"terminated": ended});
                }
                // A container that has ended before is restarted now.
                let again = new["lastState"]["terminated"].is_object();
                let count = old["restartCount"].as_u64().unwrap_or_default() + u64::from(again);
                new["restartCount"] = json!(count);
                new["containerID"] =
                    json!(format!("containerd://{}", digest(&format!("{}/{name}/{count}", text("uid")))));
                new["imageID"] = json!(image_id(image));
                new["state"] = json!({"running": {"startedAt": inputs.now}});
                set_resources(&mut new, &container["resources"]);
            }
            (new["ready"], new["started"]) = (json!(*ready && kind == ContainerType::Regular), json!(true));
        }
        ContainerState::Terminated { exit_code, reason, message } => {
            if running.is_object() {
                let end = json!({
                    "exitCode": exit_code, "reason": reason, "startedAt": running["startedAt"], "finishedAt": inputs.now,
                    "containerID": old["containerID"],
                });
                new["state"] = json!({"terminated": with_message(end, message_text(message))});
            }
            let has_succeeded = kind == ContainerType::Init && new["state"]["terminated"]["exitCode"] == 0;
            (new["ready"], new["started"]) = (json!(has_succeeded), json!(false));
        }
    }
    new
}

/// Returns the status of a running container that ends and starts again, because its image has changed.
pub(super) fn restarted(pod: &Value, container: &Value, old: &Value, inputs: &StatusInputs<'_>) -> Value {
    let end = ContainerState::Terminated { exit_code: 0, reason: "Completed".to_owned(), message: None };
    let container = (container, ContainerType::Regular);
    let ended = next(pod, container, Some(old), &end, inputs);
    let start = ContainerState::Running { ready: old["ready"] == true };
    let mut started = next(pod, container, Some(&ended), &start, inputs);
    started["image"] = container.0["image"].clone();
    started
}

fn with_message(mut value: Value, message: Option<String>) -> Value {
    if let Some(message) = message {
        value["message"] = json!(message);
    }
    value
}

/// Returns an imageID as a registry would give it: the repository, and a digest of the image's name.
pub(super) fn image_id(image: &str) -> String {
    let name = image.split('@').next().unwrap_or(image);
    let (path, last) = name.rsplit_once('/').map_or(("", name), |(path, last)| (path, last));
    let last = last.split(':').next().unwrap_or(last);
    let repository = match path {
        "" => format!("docker.io/library/{last}"),
        path if path.contains(['.', ':', '/']) => format!("{path}/{last}"),
        path => format!("docker.io/{path}/{last}"),
    };
    format!("{repository}@sha256:{}", digest(image))
}
