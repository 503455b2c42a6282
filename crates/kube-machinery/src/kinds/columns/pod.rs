//! The columns that `kubectl get` shows for Pods. The descriptions are upstream's: `pkg/printers/internalversion`.

use std::collections::HashSet;

use jiff::Timestamp;

use super::age::age;
use super::{AGE, Column, NAME, text_or_none};
use crate::kinds::fields::items;
use crate::value::{Value, json};

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Ready", "The aggregate readiness state of this pod for accepting traffic.", |pod, _| {
        let state = PodState::of(pod);
        format!("{}/{}", state.ready, state.total).into()
    }),
    Column::new("Status", "The aggregate status of the containers in this pod.", |pod, _| PodState::of(pod).reason.into()),
    Column::new(
        "Restarts",
        "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
        restarts,
    ),
    AGE,
    Column::new(
        "IP",
        "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.",
        |pod, _| text_or_none(pod, "/status/podIPs/0/ip"),
    ).wide(),
    Column::new(
        "Node",
        "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
        |pod, _| text_or_none(pod, "/spec/nodeName"),
    ).wide(),
    Column::new(
        "Nominated Node",
        "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
        |pod, _| text_or_none(pod, "/status/nominatedNodeName"),
    ).wide(),
    Column::new(
        "Readiness Gates",
        "If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to \"True\" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates",
        gates,
    ).wide(),
];

/// Returns the conditions of a pod's row: `Completed` if the pod has finished.
pub(in crate::kinds) fn row_conditions(pod: &Value) -> Option<Value> {
    let (reason, message) = match pod["status"]["phase"].as_str() {
        Some("Succeeded") => ("Succeeded", "The pod has completed successfully."),
        Some("Failed") => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}

/// The number of container restarts, and the latest time at which a restarted container had ended.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<Timestamp>,
}

impl Restarts {
    fn add(&mut self, status: &Value) {
        self.count += status["restartCount"].as_i64().unwrap_or_default();
        let ended = status["lastState"]["terminated"]["finishedAt"].as_str().and_then(|time| time.parse().ok());
        self.last = self.last.max(ended);
    }
}

/// The summary of a pod's containers that the columns show. Upstream: `printPod`.
struct PodState {
    reason: String,
    ready: usize,
    total: usize,
    restarts: Restarts,
    /// The restarts of sidecars. The restarts of other init containers no longer count once the pod is initialized.
    sidecar_restarts: Restarts,
}

fn condition<'a>(pod: &'a Value, kind: &str) -> Option<&'a Value> {
    items(&pod["status"], "conditions").iter().find(|condition| condition["type"] == kind)
}

impl PodState {
    /// Summarizes a pod. The reason starts as that of the status or the phase; the state of a container is more
    /// precise, and replaces it.
    fn of(pod: &Value) -> Self {
        let (spec, status) = (&pod["spec"], &pod["status"]);
        let non_empty = |field: &str| status[field].as_str().filter(|text| !text.is_empty());
        let mut state = Self {
            reason: non_empty("reason").or(non_empty("phase")).unwrap_or_default().to_owned(),
            ready: 0,
            total: items(spec, "containers").len() + items(spec, "initContainers").iter().filter(is_sidecar).count(),
            restarts: Restarts::default(),
            sidecar_restarts: Restarts::default(),
        };
        if let Some(gated) = condition(pod, "PodScheduled").filter(|found| found["reason"] == "SchedulingGated") {
            state.reason = gated["reason"].as_str().unwrap_or_default().to_owned();
        }
        let initializing = state.initializing(items(spec, "initContainers"), items(status, "initContainerStatuses"));
        if !initializing || condition(pod, "Initialized").is_some_and(|found| found["status"] == "True") {
            state.containers(pod, items(status, "containerStatuses"));
        }
        let terminal = matches!(status["phase"].as_str(), Some("Succeeded" | "Failed"));
        if pod["metadata"]["deletionTimestamp"].is_string() {
            match non_empty("reason") {
                Some("NodeLost") => state.reason = "Unknown".into(),
                _ if !terminal => state.reason = "Terminating".into(),
                _ => {}
            }
        }
        state
    }

    /// Returns true if an init container is not done yet, and takes the pod's reason from that container.
    fn initializing(&mut self, containers: &[Value], statuses: &[Value]) -> bool {
        let sidecars: HashSet<&Value> =
            containers.iter().filter(is_sidecar).map(|container| &container["name"]).collect();
        for (i, status) in statuses.iter().enumerate() {
            self.restarts.add(status);
            let (waiting, terminated) = (&status["state"]["waiting"], &status["state"]["terminated"]);
            let sidecar = sidecars.contains(&status["name"]);
            if sidecar {
                self.sidecar_restarts.add(status);
            }
            if terminated.is_object() && terminated["exitCode"] == 0 {
                continue;
            }
            if sidecar && status["started"] == true {
                self.ready += usize::from(status["ready"] == true);
                continue;
            }
            let waits = waiting["reason"].as_str().filter(|reason| !reason.is_empty() && *reason != "PodInitializing");
            self.reason = if terminated.is_object() {
                format!("Init:{}", ended(terminated))
            } else {
                waits.map_or_else(|| format!("Init:{i}/{}", containers.len()), |reason| format!("Init:{reason}"))
            };
            return true;
        }
        false
    }

    /// Takes the reason, the restarts and the number of ready containers from the main containers. They are visited
    /// from the last to the first, so the reason of the first one wins.
    fn containers(&mut self, pod: &Value, statuses: &[Value]) {
        self.restarts = self.sidecar_restarts;
        let mut running = false;
        let mut failure = None;
        for status in statuses.iter().rev() {
            self.restarts.add(status);
            let (waiting, terminated) = (&status["state"]["waiting"], &status["state"]["terminated"]);
            if let Some(reason) = waiting["reason"].as_str().filter(|reason| !reason.is_empty()) {
                self.reason = reason.to_owned();
            } else if terminated.is_object() {
                self.reason = ended(terminated);
                failure = Some(self.reason.clone()).filter(|_| terminated["exitCode"] != 0).or(failure);
            } else if status["ready"] == true && status["state"]["running"].is_object() {
                running = true;
                self.ready += 1;
            }
        }
        // One container has completed, but another one may still run, or may have failed.
        if self.reason == "Completed" {
            let ready = condition(pod, "Ready").is_some_and(|found| found["status"] == "True");
            match failure {
                _ if running && ready => self.reason = "Running".into(),
                Some(failure) => self.reason = failure,
                None if running => self.reason = "NotReady".into(),
                None => {}
            }
        }
    }
}

/// Returns true if an init container is a sidecar, which keeps running beside the main containers.
fn is_sidecar(container: &&Value) -> bool {
    container["restartPolicy"] == "Always"
}

/// Returns the reason for which a container ended: its own words, its signal or its exit code.
fn ended(terminated: &Value) -> String {
    let reason = terminated["reason"].as_str().unwrap_or_default();
    match (reason, terminated["signal"].as_i64().unwrap_or_default()) {
        ("", 0) => format!("ExitCode:{}", terminated["exitCode"].as_i64().unwrap_or_default()),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn restarts(pod: &Value, now: Timestamp) -> Value {
    let Restarts { count, last } = PodState::of(pod).restarts;
    match last.filter(|_| count > 0) {
        Some(last) => format!("{count} ({} ago)", age(&last.to_string().into(), now)).into(),
        None => count.to_string().into(),
    }
}

/// Counts the readiness gates whose condition is true.
fn gates(pod: &Value, _: Timestamp) -> Value {
    let gates = items(&pod["spec"], "readinessGates");
    let open = |gate: &&Value| {
        let kind = gate["conditionType"].as_str().unwrap_or_default();
        condition(pod, kind).is_some_and(|found| found["status"] == "True")
    };
    match gates.len() {
        0 => "<none>".into(),
        total => format!("{}/{total}", gates.iter().filter(open).count()).into(),
    }
}
