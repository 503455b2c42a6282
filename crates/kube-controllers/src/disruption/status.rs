//! The status of a PodDisruptionBudget. Upstream: `updatePdbStatus`, `failSafe`.

use kube_client::api::DynamicObject;
use kube_machinery::conventions::disruption_allowed;
use kube_machinery::value::Value as Typed;
use serde_json::{Value, json};

use super::disrupted_pods::{Times, times};
use super::expected::Expected;
use crate::shared::object::number;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counts {
    current_healthy: i64,
    desired_healthy: i64,
    expected_pods: i64,
    disruptions_allowed: i64,
    disrupted_pods: Times,
}

impl Counts {
    /// Returns the counts of a budget. A budget without pods allows no disruption, because its first pods may appear
    /// before the next sync.
    pub(super) fn new(current_healthy: i64, expected: &Expected, disrupted_pods: Times) -> Self {
        let allowed = (current_healthy - expected.desired_healthy).max(0);
        Self {
            current_healthy,
            desired_healthy: expected.desired_healthy,
            expected_pods: expected.pods,
            disruptions_allowed: if expected.pods > 0 { allowed } else { 0 },
            disrupted_pods,
        }
    }

    fn in_status_of(budget: &DynamicObject) -> Self {
        Self {
            current_healthy: number(budget, "/status/currentHealthy"),
            desired_healthy: number(budget, "/status/desiredHealthy"),
            expected_pods: number(budget, "/status/expectedPods"),
            disruptions_allowed: number(budget, "/status/disruptionsAllowed"),
            disrupted_pods: times(budget),
        }
    }
}

/// Returns the status with these counts, or `None` if the budget has it already.
pub(super) fn updated(budget: &DynamicObject, counts: Counts, now: &str) -> Option<Value> {
    let generation = budget.metadata.generation.unwrap_or_default();
    if Counts::in_status_of(budget) == counts
        && number(budget, "/status/observedGeneration") == generation
        && disruption_allowed::is_up_to_date(&typed(&budget.data["status"]))
    {
        return None;
    }
    let mut new = typed(&json!({
        "observedGeneration": generation,
        "currentHealthy": counts.current_healthy,
        "desiredHealthy": counts.desired_healthy,
        "expectedPods": counts.expected_pods,
        "disruptionsAllowed": counts.disruptions_allowed,
        "disruptedPods": counts.disrupted_pods,
        "conditions": budget.data["status"]["conditions"].as_array().cloned().unwrap_or_default(),
    }));
    disruption_allowed::update(&mut new, now);
    Some(untyped(&new))
}

/// Returns the status of a budget whose counts could not be computed: it allows no disruption, because an eviction may
/// be unsafe.
pub(super) fn failed(budget: &DynamicObject, why: &str, now: &str) -> Value {
    let mut new = typed(&budget.data["status"]);
    new["status"]["disruptionsAllowed"] = 0.into();
    disruption_allowed::fail(&mut new, why, now);
    untyped(&new)
}

/// Returns a budget with this status, for the functions of `kube-machinery`.
fn typed(status: &Value) -> Typed {
    let status = if status.is_null() { json!({}) } else { status.clone() };
    json!({ "status": status }).into()
}

fn untyped(budget: &Typed) -> Value {
    serde_json::to_value(&budget["status"]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use kube_client::api::ApiResource;

    use super::*;

    fn budget(status: &Value) -> DynamicObject {
        let kind = ApiResource::erase::<k8s_openapi::api::policy::v1::PodDisruptionBudget>(&());
        let mut budget = DynamicObject::new("b", &kind).data(json!({ "status": status }));
        budget.metadata.generation = Some(2);
        budget
    }

    fn counts(healthy: i64, desired: i64, expected: i64) -> Counts {
        let expected = Expected { pods: expected, desired_healthy: desired, has_unmanaged: false };
        Counts::new(healthy, &expected, Times::new())
    }

    #[test]
    fn the_status_is_written_once() {
        let status = updated(&budget(&Value::Null), counts(3, 2, 3), "1").unwrap();
        assert_eq!((&status["disruptionsAllowed"], &status["observedGeneration"]), (&json!(1), &json!(2)));
        assert_eq!(status["conditions"][0]["reason"], "SufficientPods");
        assert_eq!(updated(&budget(&status), counts(3, 2, 3), "2"), None);
        assert!(updated(&budget(&status), counts(2, 2, 3), "2").is_some());
    }

    #[test]
    fn a_budget_without_expected_pods_allows_nothing() {
        assert_eq!(counts(1, 0, 0).disruptions_allowed, 0);
        assert_eq!(counts(1, 3, 3).disruptions_allowed, 0);
    }

    #[test]
    fn after_a_failure_nothing_is_allowed_until_a_sync_succeeds() {
        let before = updated(&budget(&Value::Null), counts(3, 2, 3), "1").unwrap();
        let failed = failed(&budget(&before), "no scale", "2");
        assert_eq!((&failed["disruptionsAllowed"], &failed["currentHealthy"]), (&json!(0), &json!(3)));
        assert_eq!(failed["conditions"][0]["reason"], "SyncFailed");
        let after = updated(&budget(&failed), counts(2, 2, 3), "3").unwrap();
        assert_eq!(after["conditions"][0]["reason"], "InsufficientPods");
    }
}
