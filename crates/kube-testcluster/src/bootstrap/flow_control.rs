//! The priority levels and flow schemas that kube-apiserver creates when it starts. Upstream: `ensure` in
//! `pkg/registry/flowcontrol/rest`.

use kube_machinery::kinds::{FLOW_SCHEMAS, Resource, flow_control_bootstrap};
use kube_machinery::value::{Value, json};

/// Returns the objects with their kinds, in upstream's order. A flow schema has the condition that its priority level
/// exists.
pub(crate) fn objects(now: &str) -> impl Iterator<Item = (&'static Resource, Value)> {
    flow_control_bootstrap().iter().map(move |(resource, object)| {
        let mut object = object.clone();
        if *resource == FLOW_SCHEMAS {
            let level = object["spec"]["priorityLevelConfiguration"]["name"].as_str().unwrap_or_default();
            object["status"] = json!({"conditions": [found(level, now)]});
        }
        (*resource, object)
    })
}

/// Upstream: `syncFlowSchemaStatuses` in `pkg/util/flowcontrol` of k8s.io/apiserver.
fn found(level: &str, now: &str) -> Value {
    let message =
        format!("This FlowSchema references the PriorityLevelConfiguration object named {level:?} and it exists");
    json!({"type": "Dangling", "status": "False", "lastTransitionTime": now, "reason": "Found", "message": message})
}
