//! The condition `Unused` of a bound claim: true while no pod refers to the claim. Upstream: `updateUnusedCondition`.

use kube_client::api::DynamicObject;
use serde_json::{Value, json};

const UNUSED: &str = "Unused";

pub(super) fn condition(claim: &DynamicObject) -> Option<&Value> {
    conditions(claim).iter().find(|condition| condition["type"] == UNUSED)
}

fn conditions(claim: &DynamicObject) -> &[Value] {
    claim.data["status"]["conditions"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the conditions with the right condition `Unused`, or `None` if the claim has it already.
pub(super) fn updated(claim: &DynamicObject, is_used: bool, now: &str) -> Option<Value> {
    let (status, reason, message) = match is_used {
        true => ("False", "PodUsingPVC", "A pod is currently referencing this PVC"),
        false => ("True", "NoPodsUsingPVC", "No pods are currently referencing this PVC"),
    };
    let before = condition(claim).map(|condition| &condition["status"]);
    if before.is_some_and(|before| (before == "True") != is_used) {
        return None;
    }
    let new =
        json!({"type": UNUSED, "status": status, "lastTransitionTime": now, "reason": reason, "message": message});
    let mut conditions = conditions(claim).to_vec();
    match conditions.iter_mut().find(|condition| condition["type"] == UNUSED) {
        Some(condition) => *condition = new,
        None => conditions.push(new),
    }
    Some(conditions.into())
}
