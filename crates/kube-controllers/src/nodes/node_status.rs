//! The conditions that a kubelet reports about its node. Upstream: `pkg/kubelet/nodestatus/setters.go`.

use crate::nodes::items::items;
use kube_machinery::value::{Value, json};

/// The reason of a condition that became unknown because the kubelet was silent. Upstream: `tryUpdateNodeHealth` in
/// `pkg/controller/nodelifecycle`.
pub const LOST_CONTACT: &str = "NodeStatusUnknown";

/// A condition of a node on which everything works.
struct Healthy {
    kind: &'static str,
    status: &'static str,
    reason: &'static str,
    message: &'static str,
    /// The reason of the Event about the change to this condition.
    event: &'static str,
}

/// In upstream's order.
const HEALTHY: [Healthy; 4] = [
    Healthy {
        kind: "MemoryPressure",
        status: "False",
        reason: "KubeletHasSufficientMemory",
        message: "kubelet has sufficient memory available",
        event: "NodeHasSufficientMemory",
    },
    Healthy {
        kind: "DiskPressure",
        status: "False",
        reason: "KubeletHasNoDiskPressure",
        message: "kubelet has no disk pressure",
        event: "NodeHasNoDiskPressure",
    },
    Healthy {
        kind: "PIDPressure",
        status: "False",
        reason: "KubeletHasSufficientPID",
        message: "kubelet has sufficient PID available",
        event: "NodeHasSufficientPID",
    },
    Healthy {
        kind: "Ready",
        status: "True",
        reason: "KubeletReady",
        message: "kubelet is posting ready status",
        event: "NodeReady",
    },
];

impl Healthy {
    fn since(&self, time: &Value, now: &str) -> Value {
        json!({
            "type": self.kind, "status": self.status, "reason": self.reason, "message": self.message,
            "lastHeartbeatTime": now, "lastTransitionTime": time,
        })
    }
}

/// Returns the conditions of a node that registers.
pub(super) fn initial(now: &str) -> Vec<Value> {
    HEALTHY.iter().map(|healthy| healthy.since(&json!(now), now)).collect()
}

/// The report of a kubelet about the conditions of its node.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    pub(super) conditions: Vec<Value>,
    /// The reasons of the Events about the conditions that have changed.
    pub(super) events: Vec<&'static str>,
}

/// Returns the report at this time. A condition that became unknown is healthy again. One with another status stays,
/// because another client, such as a test, has written it.
pub(super) fn report(node: &Value, now: &str) -> Report {
    let mut report = Report { conditions: Vec::new(), events: Vec::new() };
    for healthy in &HEALTHY {
        let before = items(&node["status"]["conditions"]).iter().find(|condition| condition["type"] == healthy.kind);
        let Some(before) = before else { continue };
        report.conditions.push(if before["status"] == "Unknown" {
            report.events.push(healthy.event);
            healthy.since(&json!(now), now)
        } else {
            json!({"type": healthy.kind, "lastHeartbeatTime": now})
        });
    }
    report
}

/// Returns true if the node lifecycle controller has lost contact with a node.
pub(super) fn is_lost(node: &Value) -> bool {
    let is_lost = |condition: &Value| {
        condition["reason"] == LOST_CONTACT
            && condition["status"] == "Unknown"
            && HEALTHY.iter().any(|healthy| condition["type"] == healthy.kind)
    };
    items(&node["status"]["conditions"]).iter().any(is_lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_restores_what_became_unknown_and_leaves_the_rest() {
        let unknown = json!({"type": "Ready", "status": "Unknown", "reason": LOST_CONTACT});
        let pressure = json!({"type": "MemoryPressure", "status": "True", "reason": "Mine"});
        let node =
            json!({"status": {"conditions": [unknown, pressure, {"type": "example.org/Own", "status": "True"}]}});
        let ready = json!({
            "type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
            "lastHeartbeatTime": "9", "lastTransitionTime": "9",
        });
        let conditions = vec![json!({"type": "MemoryPressure", "lastHeartbeatTime": "9"}), ready];
        assert!(is_lost(&node));
        assert_eq!(report(&node, "9"), Report { conditions, events: vec!["NodeReady"] });
    }
}
