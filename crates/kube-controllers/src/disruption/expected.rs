//! The numbers of pods that a budget expects, and that must be healthy. Upstream: `getExpectedPodCount`,
//! `getExpectedScale`.

use std::collections::HashMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::Value;

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::int_or_percent::{Rounding, scaled};
use crate::shared::object::{controller, name, namespace};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    pub(super) pods: i64,
    pub(super) desired_healthy: i64,
    /// True if a pod has no controller, and the budget needs the scale of the controllers.
    pub(super) has_unmanaged: bool,
}

/// The sum of the scales of the controllers that own some pods.
struct ExpectedScale {
    pods: i64,
    has_unmanaged: bool,
}

impl Controller {
    pub(super) async fn expected(&self, budget: &DynamicObject, pods: &[Arc<Pod>]) -> Result<Expected, SyncError> {
        let spec = &budget.data["spec"];
        match (&spec["maxUnavailable"], &spec["minAvailable"]) {
            (Value::Null, Value::Null) => Ok(Expected::default()),
            (Value::Null, Value::Number(least)) => Ok(Expected {
                pods: pods.len().try_into().unwrap_or(i64::MAX),
                desired_healthy: least.as_i64().unwrap_or_default(),
                has_unmanaged: false,
            }),
            _ => {
                let ExpectedScale { pods, has_unmanaged } = self.expected_scale(pods).await?;
                Ok(Expected { pods, desired_healthy: desired_healthy(spec, pods), has_unmanaged })
            }
        }
    }

    /// Adds the scales of the pods' controllers; each controller counts once. A pod without a controller adds nothing.
    async fn expected_scale(&self, pods: &[Arc<Pod>]) -> Result<ExpectedScale, SyncError> {
        let (mut scales, mut has_unmanaged) = (HashMap::<String, i64>::new(), false);
        for pod in pods {
            let Some(owner) = controller(&pod.metadata) else {
                has_unmanaged = true;
                continue;
            };
            if scales.contains_key(&owner.uid) {
                continue;
            }
            let found = self.finders.find(owner, namespace(&pod.metadata)).await?;
            let found = found.ok_or_else(|| SyncError::NoController(name(&pod.metadata).to_owned()))?;
            scales.insert(found.uid, found.scale);
        }
        Ok(ExpectedScale { pods: scales.into_values().sum(), has_unmanaged })
    }
}

/// Returns the number of pods that must be healthy. Percentages are rounded up, so `maxUnavailable: 1%` allows one
/// disruption.
fn desired_healthy(spec: &Value, expected: i64) -> i64 {
    match &spec["maxUnavailable"] {
        Value::Null => scaled(&spec["minAvailable"], expected, Rounding::Up),
        most => (expected - scaled(most, expected, Rounding::Up)).max(0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_percentages_limit_the_disruptions() {
        for (spec, expected, desired) in [
            (json!({"minAvailable": "50%"}), 5, 3),
            (json!({"minAvailable": "0%"}), 5, 0),
            (json!({"minAvailable": "100%"}), 5, 5),
            (json!({"maxUnavailable": "30%"}), 10, 7),
            (json!({"maxUnavailable": "1%"}), 10, 9),
            (json!({"maxUnavailable": 2}), 5, 3),
            (json!({"maxUnavailable": 7}), 5, 0),
        ] {
            assert_eq!(desired_healthy(&spec, expected), desired, "{spec} of {expected}");
        }
    }
}
