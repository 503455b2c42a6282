//! Reads the spec of a DaemonSet for one sync: absent fields get their defaults, and percentages become numbers of
//! nodes.

use kube_client::api::DynamicObject;

use crate::shared::int_or_percent::{Rounding, scaled};
use crate::shared::object::number;

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) min_ready_seconds: i64,
    /// The number of old revisions (earlier pod templates) that are kept for `kubectl rollout undo`.
    pub(super) history: i64,
    /// The limits of a rolling update; `None` for `OnDelete`, where the user deletes the old pods.
    pub(super) rolling: Option<Rolling>,
}

/// The limits of a rolling update. Exactly one of them is 0: the API server refuses a DaemonSet that sets both, and
/// [`Spec::of`] replaces a pair of zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rolling {
    /// `maxSurge`: the number of nodes that may have a new pod beside the old one.
    pub(super) surge: i64,
    /// `maxUnavailable`: the number of nodes that may have no available pod.
    pub(super) unavailable: i64,
}

impl Spec {
    /// Reads the spec. `nodes` is the number of nodes that must have a pod; percentages refer to it. Upstream:
    /// `updatedDesiredNodeCounts`.
    pub(super) fn of(set: &DynamicObject, nodes: i64) -> Self {
        let strategy = &set.data["spec"]["updateStrategy"];
        let rolling_update = &strategy["rollingUpdate"];
        let surge = scaled(&rolling_update["maxSurge"], nodes, Rounding::Up);
        let unavailable = scaled(&rolling_update["maxUnavailable"], nodes, Rounding::Up);
        // If both were 0, the update could never begin.
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        Self {
            min_ready_seconds: number(set, "/spec/minReadySeconds"),
            history: set.data["spec"]["revisionHistoryLimit"].as_i64().unwrap_or(10),
            rolling: (strategy["type"] != "OnDelete").then_some(Rolling { surge, unavailable }),
        }
    }

    /// Returns true if a node may have a new pod beside the old one during an update. Upstream: `AllowsSurge`.
    pub(super) fn surges(&self) -> bool {
        self.rolling.is_some_and(|rolling| rolling.surge > 0)
    }
}
