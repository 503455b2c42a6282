//! Derives a pod's whole status from one state of its containers, such as "running": container statuses, restart
//! counts, phase and conditions, as a real kubelet would. So a stage only has to name the state. Upstream:
//! `generateAPIPodStatus` in `pkg/kubelet`.

use std::collections::HashMap;

use super::container_status::{CREATING, ContainerType, next};
use super::phase::{is_running, is_terminal, phase};
use super::pod_conditions::{conditions, has_network};
use super::prepare::Failure;
use crate::nodes::items::items;
use crate::nodes::stages::ContainerState;
use kube_machinery::value::{Value, json};

/// The reason of a container whose configuration could not be made. Upstream: `ErrCreateContainerConfig`.
const CONFIG_ERROR: &str = "CreateContainerConfigError";

/// The reason of the Event about a container that is stopped.
pub(super) const KILLING: &str = "Killing";

/// The values in a pod's status that are neither in the pod nor in the state of its containers.
pub(super) struct StatusInputs<'a> {
    pub(super) now: &'a str,
    pub(super) pod_ip: &'a str,
    pub(super) host_ip: &'a str,
    /// The value of `$backoff` in messages.
    pub(super) backoff: &'a str,
}

/// The containers that change their state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Changed {
    Regular,
    /// The init container with this index.
    Init(usize),
    /// The regular containers, and the init containers that run, because the pod ends. Sidecars stop without an error.
    All,
}

/// Returns the pod's status after a change of some containers, as a merge patch.
pub(super) fn status(pod: &Value, changed: Changed, to: &ContainerState, inputs: &StatusInputs<'_>) -> Value {
    let (creating, initializes) = (creating(), matches!(changed, Changed::Init(_)));
    let stopped = ContainerState::Terminated { exit_code: 0, reason: "Completed".to_owned(), message: None };
    let (known, known_init) = (by_name(&pod["status"]["containerStatuses"]), known_init(pod));
    let regular = |container: &Value| {
        let to = if initializes { &creating } else { to };
        match known.get(&container["name"]).copied() {
            Some(before) if initializes => before.clone(),
            before => next(pod, (container, ContainerType::Regular), before, to, inputs),
        }
    };
    let init = |(index, container): (usize, &Value)| {
        let before = known_init.get(&container["name"]).copied();
        let ends = changed == Changed::All && before.is_some_and(is_running);
        let container = (container, ContainerType::of_init(container));
        let is_killed = container.1 == ContainerType::Init && matches!(to, ContainerState::Terminated { .. });
        match before {
            _ if changed == Changed::Init(index) || (ends && is_killed) => next(pod, container, before, to, inputs),
            _ if ends => next(pod, container, before, &stopped, inputs),
            Some(before) => before.clone(),
            None => next(pod, container, None, &creating, inputs),
        }
    };
    let containers = items(&pod["spec"]["containers"]).iter().map(regular).collect();
    let init = items(&pod["spec"]["initContainers"]).iter().enumerate().map(init).collect();
    whole(pod, containers, init, inputs)
}

/// Returns the pod's status while some of its containers cannot be created, as a merge patch. The others keep their
/// state. Upstream starts them; here, a stage starts all regular containers at once.
pub(super) fn config_error_status(pod: &Value, failures: &[Failure], inputs: &StatusInputs<'_>) -> Value {
    let messages: HashMap<&str, &str> =
        failures.iter().filter_map(|failure| Some((failure.container.as_deref()?, &*failure.message))).collect();
    let statuses = |list: &str, known: &HashMap<&Value, &Value>, kind: fn(&Value) -> ContainerType| {
        let one = |container: &Value| {
            let (before, kind) = (known.get(&container["name"]).copied(), kind(container));
            let message = messages.get(container["name"].as_str().unwrap_or_default());
            match (message, before) {
                (Some(message), _) => {
                    let (reason, message) = (CONFIG_ERROR.to_owned(), Some((*message).to_owned()));
                    let waiting = ContainerState::Waiting { reason, message };
                    next(pod, (container, kind), before, &waiting, inputs)
                }
                (None, Some(before)) => before.clone(),
                (None, None) => next(pod, (container, kind), None, &creating(), inputs),
            }
        };
        items(&pod["spec"][list]).iter().map(one).collect::<Vec<_>>()
    };
    let known = by_name(&pod["status"]["containerStatuses"]);
    let containers = statuses("containers", &known, |_| ContainerType::Regular);
    whole(pod, containers, statuses("initContainers", &known_init(pod), ContainerType::of_init), inputs)
}

/// Returns a pod's status from the statuses of its containers, as a merge patch.
fn whole(pod: &Value, containers: Vec<Value>, init: Vec<Value>, inputs: &StatusInputs<'_>) -> Value {
    let (spec, old) = (&pod["spec"], &pod["status"]);
    let phase = match old["phase"].as_str() {
        Some(ended) if is_terminal(&old["phase"]) => ended,
        _ => phase(spec, &init, &containers),
    };
    let mut status = json!({
        "phase": phase,
        "startTime": old.get("startTime").cloned().unwrap_or_else(|| json!(inputs.now)),
        "hostIP": inputs.host_ip,
        "hostIPs": [{"ip": inputs.host_ip}],
        "conditions": conditions(pod, phase, &init, &containers, inputs.now),
        "observedGeneration": pod["metadata"]["generation"],
    });
    if has_network(&init) || has_network(&containers) {
        status["podIP"] = json!(inputs.pod_ip);
        status["podIPs"] = json!([{"ip": inputs.pod_ip}]);
    }
    if !init.is_empty() {
        status["initContainerStatuses"] = Value::Array(init.into());
    }
    status["containerStatuses"] = Value::Array(containers.into());
    status
}

/// Returns the restart count of each container by name. A container without a status is not included.
pub(super) fn restarts(pod: &Value) -> HashMap<&str, u64> {
    let lists = ["containerStatuses", "initContainerStatuses"].map(|list| items(&pod["status"][list]));
    let statuses = lists.into_iter().flatten().rev(); // the first status of a name counts
    let count = |status: &Value| status["restartCount"].as_u64().unwrap_or_default();
    statuses.filter_map(|status| Some((status["name"].as_str()?, count(status)))).collect()
}

/// Returns the init containers that run, as in the spec. Once the others have ended, these are the sidecars.
pub(super) fn running_init(pod: &Value) -> impl Iterator<Item = &Value> {
    let known = known_init(pod);
    let runs = move |container: &&Value| known.get(&container["name"]).is_some_and(|status| is_running(status));
    items(&pod["spec"]["initContainers"]).iter().filter(runs)
}

/// Returns the containers that run, as in the spec. A regular container without a status counts unless the pod has
/// ended, because stages may report none. A pod that its node has refused has ended and has none.
pub(super) fn running(pod: &Value) -> impl Iterator<Item = &Value> {
    let known = by_name(&pod["status"]["containerStatuses"]);
    let has_ended = is_terminal(&pod["status"]["phase"]);
    let runs = move |container: &&Value| known.get(&container["name"]).map_or(!has_ended, |status| is_running(status));
    items(&pod["spec"]["containers"]).iter().filter(runs).chain(running_init(pod))
}

/// Returns the names of containers.
pub(super) fn names<'p>(containers: impl Iterator<Item = &'p Value>) -> Vec<String> {
    containers.filter_map(|container| container["name"].as_str()).map(ToOwned::to_owned).collect()
}

fn creating() -> ContainerState {
    ContainerState::Waiting { reason: CREATING.to_owned(), message: None }
}

fn known_init(pod: &Value) -> HashMap<&Value, &Value> {
    by_name(&pod["status"]["initContainerStatuses"])
}

/// Indexes the statuses of containers by name, because a pod may have very many.
fn by_name(statuses: &Value) -> HashMap<&Value, &Value> {
    // The first status of a name counts, as in a linear search.
    items(statuses).iter().rev().map(|status| (&status["name"], status)).collect()
}
