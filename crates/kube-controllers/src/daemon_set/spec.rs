//! What a DaemonSet asks for.

use kube_client::api::DynamicObject;

use crate::shared::object::number;
use crate::shared::share::{Round, scaled};

#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    pub(super) min_ready_seconds: i64,
    /// How many old revisions stay.
    pub(super) history: i64,
    /// `None` if the user deletes the old pods.
    pub(super) rolling: Option<Rolling>,
}

/// How old pods give way to new ones: exactly one of both is not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rolling {
    /// How many nodes may have a new pod beside the old one.
    pub(super) surge: i64,
    /// How many nodes may have no available pod.
    pub(super) unavailable: i64,
}

impl Spec {
    /// The spec of a set that asks for pods on so many nodes. Upstream: `updatedDesiredNodeCounts`.
    pub(super) fn of(set: &DynamicObject, nodes: i64) -> Self {
        let strategy = &set.data["spec"]["updateStrategy"];
        let asked = &strategy["rollingUpdate"];
        let surge = scaled(&asked["maxSurge"], nodes, Round::Up);
        let unavailable = scaled(&asked["maxUnavailable"], nodes, Round::Up);
        // If neither is allowed, nothing could ever change.
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        Self {
            min_ready_seconds: number(set, "/spec/minReadySeconds"),
            history: set.data["spec"]["revisionHistoryLimit"].as_i64().unwrap_or(10),
            rolling: (strategy["type"] != "OnDelete").then_some(Rolling { surge, unavailable }),
        }
    }

    /// Whether a node may have more than one pod. Upstream: `AllowsSurge`.
    pub(super) fn surges(&self) -> bool {
        self.rolling.is_some_and(|rolling| rolling.surge > 0)
    }
}
