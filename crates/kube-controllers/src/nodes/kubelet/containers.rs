//! Derives a pod's whole status from one state of its containers, such as "running": container statuses, restart
//! counts, phase and conditions, as a real kubelet would. So a stage only has to name the state. Upstream:
//! `generateAPIPodStatus` in `pkg/kubelet`.

use std::collections::HashMap;

use super::catch_up::set_resources;
use super::prepare::Failure;
use super::texts::filled;
use crate::nodes::items::items;
use crate::nodes::stages::ContainerState;
use kube_machinery::conventions::random::digest;
use kube_machinery::value::{Value, json};

/// The reason of a container that waits to be created: in a pod without init containers, and in one with them.
pub(super) const CREATING: &str = "ContainerCreating";
const INITIALIZING: &str = "PodInitializing";

/// The reason of a container whose configuration could not be made. Upstream: `ErrCreateContainerConfig`.
const CONFIG_ERROR: &str = "CreateContainerConfigError";

/// The values in a pod's status that are neither in the pod nor in the state of its containers.
pub(super) struct StatusInputs<'a> {
    pub(super) now: &'a str,
    pub(super) pod_ip: &'a str,
    pub(super) host_ip: &'a str,
    /// The value of `$backoff` in messages.
    pub(super) backoff: &'a str,
}

/// Returns the pod's status after a change of its containers, as a merge patch.
pub(super) fn status(pod: &Value, to: &ContainerState, inputs: &StatusInputs<'_>) -> Value {
    let (spec, old) = (&pod["spec"], &pod["status"]);
    let known = by_name(&old["containerStatuses"]);
    let next = |container: &Value| next(pod, container, known.get(&container["name"]).copied(), to, inputs);
    let containers: Vec<Value> = items(&spec["containers"]).iter().map(next).collect();
    whole(pod, containers, initial(spec, old, to, inputs.now), inputs)
}

/// Returns the pod's status while some of its containers cannot be created, as a merge patch. The others keep their
/// state. Upstream starts them; here, a stage starts all containers at once.
pub(super) fn config_error_status(pod: &Value, failures: &[Failure], inputs: &StatusInputs<'_>) -> Value {
    let (spec, old) = (&pod["spec"], &pod["status"]);
    let messages: HashMap<&str, &str> =
        failures.iter().filter_map(|failure| Some((failure.container.as_deref()?, &*failure.message))).collect();
    let message_of = |container: &Value| messages.get(container["name"].as_str().unwrap_or_default());
    let waiting = |reason: &str, message: Option<&&str>| ContainerState::Waiting {
        reason: reason.to_owned(),
        message: message.map(|message| (*message).to_owned()),
    };
    let creating = waiting(CREATING, None);
    let known = by_name(&old["containerStatuses"]);
    let containers = items(&spec["containers"]).iter().map(|container| {
        let before = known.get(&container["name"]).copied();
        match (message_of(container), before) {
            (Some(message), _) => next(pod, container, before, &waiting(CONFIG_ERROR, Some(message)), inputs),
            (None, Some(before)) => before.clone(),
            (None, None) => next(pod, container, None, &creating, inputs),
        }
    });
    let mut init = initial(spec, old, &creating, inputs.now);
    let failing = items(&spec["initContainers"]).iter().position(|container| message_of(container).is_some());
    if let Some(failing) = failing {
        // Init containers run one after the other, so those before the failing one have ended.
        for (index, container) in items(&spec["initContainers"]).iter().enumerate().take(failing + 1) {
            init[index] = initial_status(container, index < failing, &old["startTime"], inputs.now);
        }
        let message = message_of(&items(&spec["initContainers"])[failing]);
        init[failing]["state"] = json!({"waiting": {"reason": CONFIG_ERROR, "message": message}});
    }
    whole(pod, containers.collect(), init, inputs)
}

/// Returns a pod's status from the statuses of its containers, as a merge patch.
fn whole(pod: &Value, containers: Vec<Value>, init: Vec<Value>, inputs: &StatusInputs<'_>) -> Value {
    let (spec, old) = (&pod["spec"], &pod["status"]);
    let phase = phase(spec["restartPolicy"].as_str().unwrap_or("Always"), &containers);
    let mut status = json!({
        "phase": phase,
        "startTime": old.get("startTime").cloned().unwrap_or_else(|| json!(inputs.now)),
        "hostIP": inputs.host_ip,
        "hostIPs": [{"ip": inputs.host_ip}],
        "conditions": conditions(pod, phase, &containers, inputs.now),
        "observedGeneration": pod["metadata"]["generation"],
    });
    if !init.is_empty() {
        status["initContainerStatuses"] = Value::Array(init.into());
    }
    if has_network(&containers) {
        status["podIP"] = json!(inputs.pod_ip);
        status["podIPs"] = json!([{"ip": inputs.pod_ip}]);
    }
    status["containerStatuses"] = Value::Array(containers.into());
    status
}

/// Returns the restart count of each container by name. A container without a status is not included.
pub(super) fn restarts(pod: &Value) -> HashMap<&str, u64> {
    let statuses = items(&pod["status"]["containerStatuses"]).iter().rev(); // the first status of a name counts
    let count = |status: &Value| status["restartCount"].as_u64().unwrap_or_default();
    statuses.filter_map(|status| Some((status["name"].as_str()?, count(status)))).collect()
}

/// Indexes the statuses of containers by name, because a pod may have very many.
fn by_name(statuses: &Value) -> HashMap<&Value, &Value> {
    // The first status of a name counts, as in a linear search.
    items(statuses).iter().rev().map(|status| (&status["name"], status)).collect()
}

/// Returns the status of one container after the change `to`.
fn next(pod: &Value, container: &Value, old: Option<&Value>, to: &ContainerState, inputs: &StatusInputs<'_>) -> Value {
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
            (new["ready"], new["started"]) = (json!(ready), json!(true));
        }
        ContainerState::Terminated { exit_code, reason, message } => {
            if running.is_object() {
                let end = json!({
                    "exitCode": exit_code, "reason": reason, "startedAt": running["startedAt"], "finishedAt": inputs.now,
                    "containerID": old["containerID"],
                });
                new["state"] = json!({"terminated": with_message(end, message_text(message))});
            }
            (new["ready"], new["started"]) = (json!(false), json!(false));
        }
    }
    new
}

/// Returns the status of a running container that ends and starts again, because its image has changed.
pub(super) fn restarted(pod: &Value, container: &Value, old: &Value, inputs: &StatusInputs<'_>) -> Value {
    let end = ContainerState::Terminated { exit_code: 0, reason: "Completed".to_owned(), message: None };
    let ended = next(pod, container, Some(old), &end, inputs);
    let start = ContainerState::Running { ready: old["ready"] == true };
    let mut started = next(pod, container, Some(&ended), &start, inputs);
    started["image"] = container["image"].clone();
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

/// Returns the statuses of init containers. They end when the regular containers start; sidecars keep running.
fn initial(spec: &Value, old: &Value, to: &ContainerState, now: &str) -> Vec<Value> {
    let before = items(&old["initContainerStatuses"]);
    // They end now if the regular containers start, and an init container is not done yet.
    let over = matches!(to, ContainerState::Running { .. }) && before.iter().any(|status| status["ready"] == false);
    if !before.is_empty() && !over {
        return before.to_vec();
    }
    let status = |container: &Value| initial_status(container, over, &old["startTime"], now);
    items(&spec["initContainers"]).iter().map(status).collect()
}

/// Returns the status of an init container that waits, or is done. A sidecar that is done runs.
fn initial_status(container: &Value, done: bool, started: &Value, now: &str) -> Value {
    let sidecar = container["restartPolicy"] == "Always";
    let state = match (done, sidecar) {
        (false, _) => json!({"waiting": {"reason": INITIALIZING}}),
        (true, true) => json!({"running": {"startedAt": now}}),
        (true, false) => json!({"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": started, "finishedAt": now,
        }}),
    };
    json!({
        "name": container["name"], "image": container["image"], "imageID": "", "ready": done,
        "started": done && sidecar, "restartCount": 0, "state": state, "lastState": {},
    })
}

/// Returns the phase of a pod. Upstream: `getPhase`.
fn phase(restart_policy: &str, containers: &[Value]) -> &'static str {
    let ended = |status: &Value| status["state"]["terminated"].is_object();
    let never_ran =
        |status: &Value| status["state"]["waiting"].is_object() && !status["lastState"]["terminated"].is_object();
    let failed = |status: &Value| status["state"]["terminated"]["exitCode"] != 0;
    if containers.iter().any(never_ran) {
        "Pending"
    } else if !containers.iter().all(ended) || restart_policy == "Always" {
        "Running"
    } else if !containers.iter().any(failed) {
        "Succeeded"
    } else if restart_policy == "Never" {
        "Failed"
    } else {
        "Running"
    }
}

/// Returns true if the pod has a network, which it gets once its images are pulled.
fn has_network(containers: &[Value]) -> bool {
    let reason = |status: &Value| status["state"]["waiting"]["reason"].as_str().map(ToOwned::to_owned);
    !containers.iter().all(|status| matches!(reason(status).as_deref(), Some(CREATING | INITIALIZING)))
}

/// Returns the kubelet's conditions of a pod, in upstream's order. A condition that has not changed keeps its
/// transition time.
fn conditions(pod: &Value, phase: &str, containers: &[Value], now: &str) -> Vec<Value> {
    let unready: Vec<&str> = containers
        .iter()
        .filter(|status| status["ready"] == false)
        .filter_map(|status| status["name"].as_str())
        .collect();
    let over = match phase {
        "Succeeded" => Some("PodCompleted"),
        "Failed" => Some("PodFailed"),
        _ => None,
    };
    let ready = || match (over, unready.is_empty()) {
        (Some(reason), _) => json!({"status": "False", "reason": reason}),
        (None, true) => json!({"status": "True"}),
        (None, false) => json!({
            "status": "False", "reason": "ContainersNotReady",
            "message": format!("containers with unready status: [{}]", unready.join(" ")),
        }),
    };
    let containers_ready = ready();
    let ready = match unmet_readiness_gates(pod) {
        Some(message) if containers_ready["status"] == "True" => {
            json!({"status": "False", "reason": "ReadinessGatesNotReady", "message": message})
        }
        _ => containers_ready.clone(),
    };
    let network = has_network(containers) && over.is_none();
    let initialized = pod["spec"]["initContainers"].is_null() || phase != "Pending";
    let status_of = |holds: bool| json!({"status": if holds { "True" } else { "False" }});
    let kinds = [
        ("PodReadyToStartContainers", status_of(network)),
        ("Initialized", status_of(initialized)),
        ("Ready", ready),
        ("ContainersReady", containers_ready),
        ("PodScheduled", status_of(true)),
    ];
    let before = items(&pod["status"]["conditions"]);
    let known = |kind: &str| before.iter().find(|condition| condition["type"] == kind);
    kinds
        .iter()
        .map(|(kind, status)| {
            let mut condition = status.clone();
            let same = known(kind).filter(|known| known["status"] == status["status"]);
            condition["type"] = json!(kind);
            condition["lastTransitionTime"] =
                same.map_or_else(|| json!(now), |known| known["lastTransitionTime"].clone());
            condition["observedGeneration"] = pod["metadata"]["generation"].clone();
            condition
        })
        .collect()
}

/// Returns a message about the readiness gates that keep a pod from being ready, if there are any. Upstream:
/// `GeneratePodReadyCondition`.
fn unmet_readiness_gates(pod: &Value) -> Option<String> {
    let conditions = items(&pod["status"]["conditions"]);
    let gates = items(&pod["spec"]["readinessGates"]).iter().filter_map(|gate| gate["conditionType"].as_str());
    let messages: Vec<String> = gates
        .filter_map(|gate| match conditions.iter().find(|condition| condition["type"] == gate) {
            None => Some(format!("corresponding condition of pod readiness gate {gate:?} does not exist.")),
            Some(condition) => match condition["status"].as_str().unwrap_or_default() {
                "True" => None,
                status => Some(format!("the status of pod readiness gate {gate:?} is not \"True\", but {status}")),
            },
        })
        .collect();
    (!messages.is_empty()).then(|| messages.join(", "))
}

/// Returns a new condition `Ready` for a pod with readiness gates, if a change of the gates' conditions has made the
/// old one wrong.
pub(super) fn ready_after_gates(pod: &Value, now: &str) -> Option<Value> {
    if items(&pod["spec"]["readinessGates"]).is_empty() {
        return None;
    }
    let conditions = items(&pod["status"]["conditions"]);
    let of = |kind: &str| conditions.iter().find(|condition| condition["type"] == kind);
    let (ready, containers_ready) = (of("Ready")?, of("ContainersReady")?);
    if containers_ready["status"] != "True" {
        return None; // the containers decide
    }
    let mut right = match unmet_readiness_gates(pod) {
        Some(message) => json!({"status": "False", "reason": "ReadinessGatesNotReady", "message": message}),
        None => json!({"status": "True"}),
    };
    if right["status"] == ready["status"] && right["message"] == ready["message"] {
        return None;
    }
    let since = if right["status"] == ready["status"] { ready["lastTransitionTime"].clone() } else { json!(now) };
    (right["type"], right["lastTransitionTime"]) = (json!("Ready"), since);
    right["observedGeneration"] = pod["metadata"]["generation"].clone();
    Some(right)
}

/// Replaces the conditions in `status` by those that follow from its phase and its container statuses.
pub(super) fn set_conditions_from_phase(pod: &Value, status: &mut Value, now: &str) {
    let phase = status["phase"].as_str().unwrap_or_default().to_owned();
    status["conditions"] = Value::Array(conditions(pod, &phase, items(&status["containerStatuses"]), now).into());
}
