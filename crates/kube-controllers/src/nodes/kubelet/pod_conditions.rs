//! The conditions that the kubelet writes about a pod. They follow from the pod's phase and the statuses of its
//! containers. Upstream: `pkg/kubelet/status/generate.go`.

use super::container_status::{CREATING, INITIALIZING, is_sidecar};
use crate::nodes::items::items;
use kube_machinery::value::{Value, json};

/// Returns the kubelet's conditions of a pod, in upstream's order. A condition that has not changed keeps its
/// transition time.
pub(super) fn conditions(pod: &Value, phase: &str, init: &[Value], containers: &[Value], now: &str) -> Vec<Value> {
    let unready = unready(&pod["spec"], init, containers);
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
    let network = (has_network(init) || has_network(containers)) && over.is_none();
    let status_of = |holds: bool| json!({"status": if holds { "True" } else { "False" }});
    let kinds = [
        ("PodReadyToStartContainers", status_of(network)),
        ("Initialized", initialized(&pod["spec"], phase, init, containers)),
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

/// Returns the right condition `Ready` of a pod whose containers are ready, if another component has made it wrong: one
/// that writes the condition of a readiness gate, or the node lifecycle controller during the silence of the kubelet.
pub(super) fn right_ready(pod: &Value, now: &str) -> Option<Value> {
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
    let (init, containers) = (items(&status["initContainerStatuses"]), items(&status["containerStatuses"]));
    status["conditions"] = Value::Array(conditions(pod, &phase, init, containers, now).into());
}

/// Returns the names of the sidecars and the regular containers that are not ready. Upstream:
/// `GenerateContainersReadyCondition`.
fn unready<'a>(spec: &Value, init: &'a [Value], containers: &'a [Value]) -> Vec<&'a str> {
    let sidecars = items(&spec["initContainers"]).iter().zip(init).filter(|(container, _)| is_sidecar(container));
    let statuses = sidecars.map(|(_, status)| status).chain(containers);
    statuses.filter(|status| status["ready"] == false).filter_map(|status| status["name"].as_str()).collect()
}

/// Returns the condition `Initialized`. Upstream: `GeneratePodInitializedCondition`.
fn initialized(spec: &Value, phase: &str, init: &[Value], containers: &[Value]) -> Value {
    let specs = items(&spec["initContainers"]);
    let names = |specs: &[Value]| {
        specs.iter().filter_map(|one| one["name"].as_str()).map(ToOwned::to_owned).collect::<Vec<_>>().join(" ")
    };
    let unknown = &specs[init.len().min(specs.len())..];
    if phase == "Succeeded" && unknown.is_empty() {
        return json!({"status": "True", "reason": "PodCompleted"});
    }
    let is_done = |(container, status): &(&Value, &Value)| {
        status[if is_sidecar(container) { "started" } else { "ready" }] == true
    };
    let incomplete: Vec<Value> =
        specs.iter().zip(init).filter(|pair| !is_done(pair)).map(|(container, _)| container.clone()).collect();
    let lists = [("unknown", names(unknown)), ("incomplete", names(&incomplete))];
    let messages = lists.iter().filter(|(_, names)| !names.is_empty());
    let messages: Vec<_> = messages.map(|(kind, names)| format!("containers with {kind} status: [{names}]")).collect();
    let has_started =
        |status: &Value| status["state"]["running"].is_object() || status["state"]["terminated"].is_object();
    if messages.is_empty() || containers.iter().any(has_started) {
        return json!({"status": "True"});
    }
    json!({"status": "False", "reason": "ContainersNotInitialized", "message": messages.join(", ")})
}

/// Returns true if these statuses show that the pod has a network, which it gets before its first container is created.
pub(super) fn has_network(containers: &[Value]) -> bool {
    let reason = |status: &Value| status["state"]["waiting"]["reason"].as_str().map(ToOwned::to_owned);
    !containers.iter().all(|status| matches!(reason(status).as_deref(), Some(CREATING | INITIALIZING)))
}
