//! The condition `DisruptionAllowed` of a PodDisruptionBudget. The disruption controller writes it, and so does the
//! eviction that uses up the budget. Upstream: `k8s.io/component-helpers/apps/poddisruptionbudget`.

use super::conditions;
use crate::value::{Value, json};

/// The type of the condition.
pub const DISRUPTION_ALLOWED: &str = "DisruptionAllowed";

/// The reason of the condition if the controller could not compute the status.
pub const SYNC_FAILED: &str = "SyncFailed";

/// Sets the condition that follows from `status.disruptionsAllowed`. Upstream: `UpdateDisruptionAllowedCondition`.
pub fn update(budget: &mut Value, now: &str) {
    let (status, reason) = expected(budget);
    set(budget, status, reason, "", now);
}

/// Sets the condition to `SyncFailed`, because the status does not tell how many pods may be disrupted.
pub fn fail(budget: &mut Value, message: &str, now: &str) {
    set(budget, "False", SYNC_FAILED, message, now);
}

/// Returns true if the condition follows from `status.disruptionsAllowed`. Upstream: `ConditionsAreUpToDate`, which
/// also compares the generations.
pub fn is_up_to_date(budget: &Value) -> bool {
    let (status, reason) = expected(budget);
    condition(budget).is_some_and(|condition| condition["status"] == status && condition["reason"] == reason)
}

/// Returns the condition, if the budget has it.
pub fn condition(budget: &Value) -> Option<&Value> {
    conditions::find(budget, DISRUPTION_ALLOWED)
}

/// Returns the status and the reason that the condition should have.
fn expected(budget: &Value) -> (&'static str, &'static str) {
    match budget["status"]["disruptionsAllowed"].as_i64() {
        Some(1..) => ("True", "SufficientPods"),
        _ => ("False", "InsufficientPods"),
    }
}

fn set(budget: &mut Value, status: &str, reason: &str, message: &str, now: &str) {
    let condition = json!({
        "type": DISRUPTION_ALLOWED, "status": status, "reason": reason, "message": message,
        "observedGeneration": budget["status"]["observedGeneration"],
    });
    conditions::update(budget, condition, now);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_condition_says_whether_a_disruption_is_allowed() {
        let mut budget = json!({"status": {"observedGeneration": 2, "disruptionsAllowed": 1}});
        assert!(!is_up_to_date(&budget));
        update(&mut budget, "1");
        let expected = json!({
            "type": "DisruptionAllowed", "status": "True", "reason": "SufficientPods", "message": "",
            "observedGeneration": 2, "lastTransitionTime": "1",
        });
        assert_eq!(condition(&budget), Some(&expected));
        assert!(is_up_to_date(&budget));
        budget["status"]["disruptionsAllowed"] = 0.into();
        assert!(!is_up_to_date(&budget));
        update(&mut budget, "2");
        assert!(is_up_to_date(&budget));
        fail(&mut budget, "why", "3");
        let failed = condition(&budget).unwrap();
        assert_eq!((&failed["reason"], &failed["message"]), (&json!("SyncFailed"), &json!("why")));
        assert_eq!(failed["lastTransitionTime"], "2", "the status was False before");
        assert!(!is_up_to_date(&budget));
    }
}
