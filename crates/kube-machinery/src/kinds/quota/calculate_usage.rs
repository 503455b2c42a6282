//! Calculates the status of a quota from all objects that it tracks. Upstream: `CalculateUsage`, `CalculateUsageStats`,
//! and `syncResourceQuota` in `pkg/controller/resourcequota`.

use jiff::Timestamp;

use super::evaluator::Evaluator;
use super::resources::{are_equal, count, mask, sum, to_json};
use crate::kinds::core::pod::amounts::{Amounts, amounts_of};
use crate::value::{Value, json};

/// The calculation of a quota's status. Add the objects of each resource that the quota
/// [tracks](super::tracked_resources).
#[derive(Debug)]
pub struct Calculation<'q> {
    quota: &'q Value,
    hard: Amounts,
    used: Amounts,
}

impl<'q> Calculation<'q> {
    pub fn of(quota: &'q Value) -> Self {
        Self { quota, hard: amounts_of(&quota["spec"]["hard"]), used: Amounts::new() }
    }

    /// Adds the usage, at the time `now`, of the objects of one resource in the quota's namespace.
    pub fn add<'o>(&mut self, evaluator: &Evaluator, objects: impl IntoIterator<Item = &'o Value>, now: Timestamp) {
        let limits = self.hard.keys().filter(|name| evaluator.tracks(name));
        let mut used: Amounts = limits.map(|name| (name.clone(), count(0))).collect();
        for object in objects {
            if evaluator.is_in_scopes(self.quota, object) {
                let usage = evaluator.usage(object, now);
                used = sum(used, &mask(&usage, |name| self.hard.contains_key(name)));
            }
        }
        self.used = sum(std::mem::take(&mut self.used), &used);
    }

    /// Returns the new status, or `None` if the quota has it already. A limit whose objects were not added keeps its
    /// usage.
    pub fn status(self) -> Option<Value> {
        let status = &self.quota["status"];
        let (hard, before) = (amounts_of(&status["hard"]), amounts_of(&status["used"]));
        let mut used = mask(&before, |name| self.hard.contains_key(name));
        used.extend(self.used);
        let is_new = status["hard"].is_null() || status["used"].is_null();
        let is_dirty = is_new || !are_equal(&hard, &self.hard) || !are_equal(&before, &used);
        is_dirty.then(|| json!({"hard": to_json(&self.hard), "used": to_json(&used)}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status_of(quota: &Value, pods: &[Value]) -> Option<Value> {
        let mut calculation = Calculation::of(quota);
        calculation.add(&Evaluator::Pods, pods, Timestamp::UNIX_EPOCH);
        calculation.status()
    }

    #[test]
    fn the_objects_in_scope_are_added_up() {
        let quota = json!({"spec": {"hard": {"pods": "5", "requests.cpu": "2"}, "scopes": ["NotBestEffort"]}});
        let pod = |requests: Value| json!({"spec": {"containers": [{"resources": {"requests": requests}}]}});
        let pods = [pod(json!({"cpu": "500m"})), pod(json!({"cpu": "1"})), pod(json!({}))];
        let status = status_of(&quota, &pods).unwrap();
        let (hard, used) = (json!({"pods": "5", "requests.cpu": "2"}), json!({"pods": "2", "requests.cpu": "1500m"}));
        assert_eq!(status, json!({"hard": hard, "used": used}));
        let mut synced = quota;
        synced["status"] = status;
        assert_eq!(status_of(&synced, &pods), None);
    }

    #[test]
    fn a_limit_that_nobody_can_count_keeps_its_usage() {
        let quota = json!({
            "spec": {"hard": {"pods": "5", "count/a.b": "1"}},
            "status": {"hard": {"secrets": "1"}, "used": {"count/a.b": "1", "secrets": "1"}},
        });
        let status = status_of(&quota, &[]).unwrap();
        assert_eq!(status["used"], json!({"pods": "0", "count/a.b": "1"}));
    }
}
