//! Computes the status of a ReplicaSet at the end of a sync: the counts of its pods, and a condition `ReplicaFailure`
//! if pods could not be created or deleted. Upstream: `calculateStatus` in `pkg/controller/replicaset`.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::shared::slim_pod::SlimPod;

use super::spec;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) replicas: usize,
    /// The number of pods that have all labels of the template.
    labeled: usize,
    pub(super) ready: usize,
    available: usize,
}

impl Counts {
    pub(super) fn of(set: &ReplicaSet, owned: &[Arc<SlimPod>], available: usize) -> Self {
        let template = spec::template(set).and_then(|template| template.metadata.as_ref());
        let labels = template.and_then(|metadata| metadata.labels.as_ref());
        let has_all =
            |pod: &&Arc<SlimPod>| labels.into_iter().flatten().all(|(key, value)| pod.labels().get(key) == Some(value));
        Self {
            replicas: owned.len(),
            labeled: owned.iter().filter(has_all).count(),
            ready: owned.iter().filter(|pod| pod.is_ready()).count(),
            available,
        }
    }
}

/// Returns a merge patch for the status, or `None` if the status is up to date. `failure` is the reason and the message
/// if pods could not be created or deleted.
pub(super) fn patch(set: &ReplicaSet, counts: Counts, failure: Option<(&str, String)>, clock: &Clock) -> Option<Value> {
    let old = set.status.clone().unwrap_or_default();
    let number = |number: Option<i32>| number.unwrap_or_default();
    let old_counts =
        [old.replicas, number(old.fully_labeled_replicas), number(old.ready_replicas), number(old.available_replicas)];
    let old_counts = old_counts.map(|count| usize::try_from(count).unwrap_or_default());
    let now = [counts.replicas, counts.labeled, counts.ready, counts.available];
    let mut conditions = old.conditions.unwrap_or_default();
    let failed_before = conditions.iter().any(|condition| spec::is_of_type(condition, FAILURE));
    let same_failure = failed_before == failure.is_some();
    if old_counts == now && same_failure && old.observed_generation == set.metadata.generation {
        return None;
    }
    let mut status = json!({
        "replicas": now[0], "fullyLabeledReplicas": now[1], "readyReplicas": now[2], "availableReplicas": now[3],
        "observedGeneration": set.metadata.generation,
    });
    if !same_failure {
        conditions.retain(|condition| !spec::is_of_type(condition, FAILURE));
        let others = conditions.iter().map(|other| {
            json!({
                "type": other.type_, "status": other.status, "reason": other.reason, "message": other.message,
                "lastTransitionTime": other.last_transition_time,
            })
        });
        let new = failure.map(|(reason, message)| {
            let now = clock.now();
            json!({
                "type": FAILURE, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now,
            })
        });
        status["conditions"] = others.chain(new).collect();
    }
    Some(json!({ "status": status }))
}

/// The type of the condition that reports failed creations or deletions of pods.
const FAILURE: &str = "ReplicaFailure";
