//! Reads and sets the conditions in the status of a CustomResourceDefinition, such as `Established`: the server serves
//! the custom resources of a definition once this condition is true. The controllers of definitions call these
//! functions. Upstream: `pkg/apihelpers`.

use crate::value::{Value, json};

/// Sets a condition. lastTransitionTime changes only with the condition's status.
pub fn set_condition(crd: &mut Value, kind: &str, is_true: bool, reason: &str, message: &str, now: &str) {
    let status = if is_true { "True" } else { "False" };
    let mut condition = json!({
        "type": kind, "status": status, "lastTransitionTime": now, "reason": reason, "message": message,
    });
    if !crd["status"]["conditions"].is_array() {
        crd["status"]["conditions"] = json!([]);
    }
    let Some(conditions) = crd["status"]["conditions"].as_array_mut() else { return };
    match conditions.iter_mut().find(|condition| condition["type"] == kind) {
        Some(found) => {
            if found["status"] == status {
                condition["lastTransitionTime"] = found["lastTransitionTime"].take();
            }
            *found = condition;
        }
        None => conditions.push(condition),
    }
}

pub fn is_condition_true(crd: &Value, kind: &str) -> bool {
    let conditions = crd["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
}
