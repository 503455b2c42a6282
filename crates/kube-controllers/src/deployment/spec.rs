//! Reads the spec of a Deployment for one sync. Percentages become numbers of pods. The API server has set the defaults
//! before; a field that is still absent counts as 1 replica, no surge, 1 unavailable pod, or no limit, as upstream.

use kube_client::api::DynamicObject;
use serde_json::Value;

use crate::shared::int_or_percent::{Rounding, scaled};
use crate::shared::object::number;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Step by step: at most `replicas + surge` pods exist, and at least `replicas - unavailable` pods are available.
    RollingUpdate { surge: i64, unavailable: i64 },
    /// All old pods end before the first new pod starts.
    Recreate,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) replicas: i64,
    pub(super) strategy: Strategy,
    pub(super) paused: bool,
    pub(super) min_ready_seconds: i64,
    /// The number of old ReplicaSets that are kept; `None` for all. Upstream: `HasRevisionHistoryLimit`.
    pub(super) history: Option<i64>,
    /// The seconds without progress after which a rollout has failed; `None` for no deadline. Upstream:
    /// `HasProgressDeadline`.
    pub(super) deadline: Option<i64>,
}

impl Spec {
    pub(super) fn of(deployment: &DynamicObject) -> Self {
        let spec = &deployment.data["spec"];
        // As upstream, the largest 32-bit number means that there is no limit.
        let limit = |field: &str| spec[field].as_i64().filter(|limit| *limit != i64::from(i32::MAX));
        let replicas = spec["replicas"].as_i64().unwrap_or(1);
        let strategy = match spec["strategy"]["type"].as_str() {
            Some("Recreate") => Strategy::Recreate,
            _ => rolling(&spec["strategy"]["rollingUpdate"], replicas),
        };
        Self {
            replicas,
            strategy,
            paused: spec["paused"] == true,
            min_ready_seconds: number(deployment, "/spec/minReadySeconds"),
            history: limit("revisionHistoryLimit"),
            deadline: limit("progressDeadlineSeconds"),
        }
    }

    /// Returns the number of pods that may exist beyond `replicas`.
    pub(super) fn surge(&self) -> i64 {
        match self.strategy {
            Strategy::RollingUpdate { surge, .. } => surge,
            Strategy::Recreate => 0,
        }
    }

    /// Returns the number of pods that may be unavailable. Upstream: `MaxUnavailable`.
    pub(super) fn unavailable(&self) -> i64 {
        match self.strategy {
            Strategy::RollingUpdate { unavailable, .. } => unavailable.min(self.replicas),
            Strategy::Recreate => 0,
        }
    }

    /// Returns the largest number of pods that may exist during a rollout.
    pub(super) fn most(&self) -> i64 {
        self.replicas + self.surge()
    }

    /// Returns the number of pods that must stay available during a rollout.
    pub(super) fn least_available(&self) -> i64 {
        self.replicas - self.unavailable()
    }
}

/// Reads the limits of a rolling update. Upstream: `ResolveFenceposts`.
fn rolling(rolling: &Value, replicas: i64) -> Strategy {
    let surge = scaled(&rolling["maxSurge"], replicas, Rounding::Up);
    let unavailable = scaled(&rolling["maxUnavailable"], replicas, Rounding::Down);
    // If both were rounded to 0, the update could never begin.
    let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
    Strategy::RollingUpdate { surge, unavailable }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The cases of upstream's comment on `ResolveFenceposts`, and some more.
    #[test]
    fn a_percentage_is_rounded_up_for_the_surge_and_down_for_unavailable_pods() {
        for (surge, unavailable, replicas, expected) in [
            (json!("0%"), json!("1%"), 2, (0, 1)),
            (json!("0%"), json!("1%"), 1, (0, 1)),
            (json!("1%"), json!("25%"), 2, (1, 0)),
            (json!("1%"), json!("0%"), 1, (1, 0)),
            (json!("25%"), json!("25%"), 10, (3, 2)),
            (json!("25%"), json!("25%"), 3, (1, 0)),
            (json!(2), json!("100%"), 4, (2, 4)),
        ] {
            let found = rolling(&json!({"maxSurge": surge, "maxUnavailable": unavailable}), replicas);
            let (surge, unavailable) = expected;
            assert_eq!(found, Strategy::RollingUpdate { surge, unavailable }, "{replicas}");
        }
    }
}
