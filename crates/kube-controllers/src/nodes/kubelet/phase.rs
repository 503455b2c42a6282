//! The phase of a pod, which follows from the states of its containers. Upstream: `getPhase` in
//! `pkg/kubelet/kubelet_pods.go`.

use super::container_status::is_sidecar;
use crate::nodes::items::items;
use kube_machinery::value::Value;

/// Returns true if the pod has ended. A phase that says so does not change any more.
pub(super) fn is_terminal(phase: &Value) -> bool {
    phase == "Succeeded" || phase == "Failed"
}

/// Returns the phase of a pod with these statuses of its init containers and its regular containers.
pub(super) fn phase(spec: &Value, init: &[Value], containers: &[Value]) -> &'static str {
    let specs = || items(&spec["initContainers"]).iter().zip(init);
    let (sidecars, init): (Vec<_>, Vec<_>) = specs().partition(|(container, _)| is_sidecar(container));
    let is_final_failure = |(container, status): &(&Value, &Value)| {
        exit_code(status).is_some_and(|code| code != 0 && !is_restarted(container, spec, code))
    };
    if init.iter().any(is_final_failure) {
        return "Failed";
    }
    let is_initialized = containers.iter().any(|status| !has_never_run(status));
    let init_pends = init.iter().any(|(_, status)| is_running(status) || has_never_run(status));
    let sidecar_pends = sidecars.iter().any(|(_, status)| has_never_run(status)) && !is_initialized;
    if init_pends || sidecar_pends || containers.iter().any(has_never_run) {
        return "Pending";
    }
    let mut running = containers.iter().chain(sidecars.iter().map(|(_, status)| *status));
    let regular = items(&spec["containers"]).iter().zip(containers);
    let restarts = |(container, status): (&Value, &Value)| {
        exit_code(status).is_none_or(|code| is_restarted(container, spec, code))
    };
    if running.any(is_running) || regular.clone().any(restarts) {
        "Running"
    } else if containers.iter().all(|status| status["state"]["terminated"]["exitCode"] == 0) {
        "Succeeded"
    } else {
        "Failed"
    }
}

/// Returns true if a container that ends with this exit code starts again. Upstream: `ContainerShouldRestart`, which
/// also obeys the rules of a container.
pub(super) fn is_restarted(container: &Value, spec: &Value, exit_code: i64) -> bool {
    let own = container["restartPolicy"].as_str();
    match own.or(spec["restartPolicy"].as_str()) {
        Some("Never") => false,
        Some("OnFailure") => exit_code != 0,
        _ => true,
    }
}

pub(super) fn is_running(status: &Value) -> bool {
    status["state"]["running"].is_object()
}

/// Returns the exit code of a container that has ended, even if it waits for its restart.
fn exit_code(status: &Value) -> Option<i64> {
    let ended = [&status["state"], &status["lastState"]].map(|state| &state["terminated"]["exitCode"]);
    ended.into_iter().find_map(Value::as_i64).filter(|_| !is_running(status))
}

/// Returns true if a container waits for its first start.
fn has_never_run(status: &Value) -> bool {
    !is_running(status) && exit_code(status).is_none()
}
