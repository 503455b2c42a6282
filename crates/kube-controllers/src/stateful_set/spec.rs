//! Reads the spec of a StatefulSet for one sync: absent fields get their defaults, and percentages become numbers of
//! pods.

use kube_client::api::DynamicObject;
use serde_json::Value;

use crate::shared::int_or_percent::{Rounding, scaled};
use crate::shared::object::number;

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) replicas: i64,
    /// The ordinal of the first pod.
    pub(super) start: i64,
    pub(super) min_ready_seconds: i64,
    /// True if each pod waits for those before it. Upstream: `monotonic`.
    pub(super) ordered: bool,
    /// The limits of a rolling update; `None` for `OnDelete`, where the user deletes the old pods.
    pub(super) rolling: Option<Rolling>,
    /// The number of old revisions that are kept; `None` for all.
    pub(super) history: Option<i64>,
    pub(super) claim_retention: ClaimRetention,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rolling {
    /// The number of pods, counted from the first ordinal, that keep the old revision; `None` if `rollingUpdate` is
    /// absent.
    pub(super) partition: Option<i64>,
    pub(super) unavailable: i64,
}

/// The occasions on which the claims are deleted: with the StatefulSet, or with a pod that is scaled away. Upstream:
/// `persistentVolumeClaimRetentionPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimRetention {
    pub(super) delete_with_set: bool,
    pub(super) delete_with_pod: bool,
}

impl Spec {
    pub(super) fn of(set: &DynamicObject) -> Self {
        let spec = &set.data["spec"];
        let replicas = spec["replicas"].as_i64().unwrap_or(1);
        let (strategy, policy) = (&spec["updateStrategy"], &spec["persistentVolumeClaimRetentionPolicy"]);
        Self {
            replicas,
            start: number(set, "/spec/ordinals/start"),
            min_ready_seconds: number(set, "/spec/minReadySeconds"),
            ordered: spec["podManagementPolicy"] != "Parallel",
            rolling: (strategy["type"] != "OnDelete").then(|| rolling(&strategy["rollingUpdate"], replicas)),
            history: Some(spec["revisionHistoryLimit"].as_i64().unwrap_or(10)).filter(|limit| *limit >= 0),
            claim_retention: ClaimRetention {
                delete_with_set: policy["whenDeleted"] == "Delete",
                delete_with_pod: policy["whenScaled"] == "Delete",
            },
        }
    }

    pub(super) fn has(&self, ordinal: i64) -> bool {
        (self.start..self.start + self.replicas).contains(&ordinal)
    }
}

fn rolling(rolling_update: &Value, replicas: i64) -> Rolling {
    let unavailable = match &rolling_update["maxUnavailable"] {
        Value::Null => 1,
        value => scaled(value, replicas, Rounding::Down).max(1),
    };
    Rolling {
        partition: rolling_update.is_object().then(|| rolling_update["partition"].as_i64().unwrap_or_default()),
        unavailable,
    }
}
