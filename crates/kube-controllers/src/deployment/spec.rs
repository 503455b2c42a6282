//! What a Deployment asks for.

use kube_client::api::DynamicObject;
use serde_json::Value;

use crate::shared::object::number;
use crate::shared::share::{Round, scaled};

/// How old pods give way to new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// At most so many pods more than asked for, and at most so many available ones fewer.
    RollingUpdate { surge: i64, unavailable: i64 },
    /// All old ones end before new ones begin.
    Recreate,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) replicas: i64,
    pub(super) strategy: Strategy,
    pub(super) paused: bool,
    pub(super) min_ready_seconds: i64,
    /// How many old ReplicaSets stay; `None` for all. Upstream: `HasRevisionHistoryLimit`.
    pub(super) history: Option<i64>,
    /// After how many seconds without progress a rollout has failed; `None` for never. Upstream: `HasProgressDeadline`.
    pub(super) deadline: Option<i64>,
}

impl Spec {
    pub(super) fn of(deployment: &DynamicObject) -> Self {
        let spec = &deployment.data["spec"];
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

    /// How many pods there may be more than asked for.
    pub(super) fn surge(&self) -> i64 {
        match self.strategy {
            Strategy::RollingUpdate { surge, .. } => surge,
            Strategy::Recreate => 0,
        }
    }

    /// How many of the pods that are asked for may be unavailable. Upstream: `MaxUnavailable`.
    pub(super) fn unavailable(&self) -> i64 {
        match self.strategy {
            Strategy::RollingUpdate { unavailable, .. } => unavailable.min(self.replicas),
            Strategy::Recreate => 0,
        }
    }

    /// How many pods there may be.
    pub(super) fn most(&self) -> i64 {
        self.replicas + self.surge()
    }

    /// How many pods must be available.
    pub(super) fn least_available(&self) -> i64 {
        self.replicas - self.unavailable()
    }
}

/// Upstream: `ResolveFenceposts`.
fn rolling(rolling: &Value, replicas: i64) -> Strategy {
    let surge = scaled(&rolling["maxSurge"], replicas, Round::Up);
    let unavailable = scaled(&rolling["maxUnavailable"], replicas, Round::Down);
    // If both are rounded to none, nothing could ever change.
    let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
    Strategy::RollingUpdate { surge, unavailable }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The cases of upstream's comment on `ResolveFenceposts`, and some more.
    #[test]
    fn a_share_is_rounded_up_for_the_surge_and_down_for_what_is_unavailable() {
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
