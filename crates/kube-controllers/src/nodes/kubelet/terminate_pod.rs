//! The last states of the containers of a pod that the kubelet ends. Upstream: `TerminatePod` in
//! `pkg/kubelet/status/status_manager.go`.

use super::container_status::is_sidecar;
use super::phase::is_running;
use crate::nodes::items::items;
use kube_machinery::value::{Value, json};

/// Gives the containers that have no end the state `ContainerStatusUnknown`: the regular ones if the pod was
/// initialized, and the init containers whose turn has come. The others keep waiting.
pub(super) fn terminate(pod: &Value, status: &mut Value) {
    if has_been_initialized(pod) {
        let count = items(&status["containerStatuses"]).len();
        end(status, "containerStatuses", count);
    }
    let count = initialized(items(&status["initContainerStatuses"]));
    end(status, "initContainerStatuses", count);
}

/// Ends the first containers of a list.
fn end(status: &mut Value, list: &str, count: usize) {
    let statuses = status.get_mut(list).and_then(Value::as_array_mut);
    for status in statuses.into_iter().flatten().take(count).filter(|status| status["state"]["terminated"].is_null()) {
        status["state"] = json!({"terminated": {
            "exitCode": 137, "reason": "ContainerStatusUnknown",
            "message": "The container could not be located when the pod was terminated",
            "startedAt": null, "finishedAt": null,
        }});
    }
}

/// Returns true if the init containers of a pod have done their work. Upstream: `hasPodInitialized`.
fn has_been_initialized(pod: &Value) -> bool {
    let Some(last) = items(&pod["spec"]["initContainers"]).last() else { return true };
    let status = &pod["status"];
    if items(&status["containerStatuses"]).iter().any(has_moved) {
        return true;
    }
    let is_last = |status: &&Value| status["name"] == last["name"];
    let Some(last_status) = items(&status["initContainerStatuses"]).iter().find(is_last) else { return false };
    if is_sidecar(last) {
        return is_running(last_status) && last_status["started"] == true;
    }
    ["state", "lastState"].iter().any(|state| last_status[*state]["terminated"]["exitCode"] == 0)
}

/// Returns the number of init containers before those that have not tried to start; at least one if there are any.
/// Upstream: `initializedContainers`.
fn initialized(statuses: &[Value]) -> usize {
    let started = statuses.iter().rposition(has_moved).map_or(0, |last| last + 1);
    started.max(1).min(statuses.len())
}

/// Returns true if a container has ever been in another state than waiting.
fn has_moved(status: &Value) -> bool {
    status["state"]["waiting"].is_null() || status["lastState"]["terminated"].is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting() -> Value {
        json!({"state": {"waiting": {"reason": "PodInitializing"}}, "lastState": {}})
    }

    fn ended(exit_code: i64) -> Value {
        json!({"state": {"terminated": {"exitCode": exit_code}}, "lastState": {}})
    }

    fn crashing() -> Value {
        json!({"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": {"terminated": {"exitCode": 1}}})
    }

    /// Returns the exit codes of the init containers and of a waiting regular container; 0 for one that keeps waiting.
    fn ends(init: &[Value]) -> Vec<i64> {
        let named = |(n, status): (usize, &Value)| {
            let mut status = status.clone();
            status["name"] = json!(n);
            status
        };
        let statuses: Vec<Value> = init.iter().enumerate().map(named).collect();
        let specs: Vec<Value> = (0..init.len()).map(|n| json!({"name": n})).collect();
        let mut status = json!({"initContainerStatuses": statuses, "containerStatuses": [waiting()]});
        let pod = json!({"spec": {"initContainers": specs}, "status": status});
        terminate(&pod, &mut status);
        let all = ["initContainerStatuses", "containerStatuses"].iter().flat_map(|list| items(&status[*list]));
        all.map(|status| status["state"]["terminated"]["exitCode"].as_i64().unwrap_or_default()).collect()
    }

    #[test]
    fn the_containers_whose_turn_has_come_get_an_end_and_the_others_keep_waiting() {
        assert_eq!(ends(&[]), [137], "without init containers");
        assert_eq!(ends(&[waiting(), waiting()]), [137, 0, 0], "the image of the first is not there yet");
        assert_eq!(ends(&[ended(3), waiting()]), [3, 0, 0]);
        assert_eq!(ends(&[ended(0), crashing(), waiting()]), [0, 137, 0, 0]);
        assert_eq!(ends(&[ended(0), ended(0)]), [0, 0, 137], "initialized");
    }
}
