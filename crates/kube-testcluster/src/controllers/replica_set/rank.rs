//! The order in which surplus pods are deleted. Upstream: `ActivePodsWithRanks` in
//! `pkg/controller/controller_utils.go`.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::pods::{is_ready, ready_since};
use crate::controllers::shared::slim_pod::DELETION_COST;

/// Sorts the pods of a ReplicaSet; the first ones are deleted first. `related` are the active pods of all ReplicaSets
/// with the same controller, this one included. Upstream: `getPodsRankedByRelatedPodsOnSameNode`.
pub(super) fn sort_by_loss(pods: &mut [Arc<Pod>], related: &[Arc<Pod>]) {
    let mut active_on: HashMap<&str, usize> = HashMap::new();
    for pod in related {
        *active_on.entry(node(pod)).or_default() += 1;
    }
    let neighbours = |pod: &Pod| active_on.get(node(pod)).copied().unwrap_or_default();
    pods.sort_by_cached_key(|pod| loss(pod, neighbours(pod)));
}

/// Unassigned before assigned; pending before running; not ready before ready; low deletion cost before high; many
/// related pods on the node before few; ready for a short time before a long time; many restarts before few; young
/// before old.
fn loss(pod: &Pod, neighbours: usize) -> impl Ord + use<> {
    let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (
        !node(pod).is_empty(),
        phase(pod),
        is_ready(pod),
        deletion_cost(pod),
        Reverse(neighbours),
        Reverse(ready_since(pod)),
        Reverse(restarts(pod)),
        Reverse(created),
        pod.metadata.name.clone(),
    )
}

fn node(pod: &Pod) -> &str {
    pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()).unwrap_or_default()
}

fn phase(pod: &Pod) -> u8 {
    match pod.status.as_ref().and_then(|status| status.phase.as_deref()) {
        Some("Running") => 2,
        Some("Unknown") => 1,
        _ => 0,
    }
}

fn deletion_cost(pod: &Pod) -> i32 {
    let cost = pod.metadata.annotations.as_ref().and_then(|annotations| annotations.get(DELETION_COST));
    cost.and_then(|cost| cost.parse().ok()).unwrap_or_default()
}

fn restarts(pod: &Pod) -> i32 {
    let statuses = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    statuses.map(|status| status.restart_count).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, node: &str, phase: &str, ready: &str, more: &str) -> Arc<Pod> {
        let text = format!(
            r#"{{"metadata": {{"name": "{name}", "creationTimestamp": "2023-05-01T10:00:00Z" {more}}},
                "spec": {{"nodeName": "{node}", "containers": []}},
                "status": {{"phase": "{phase}", "conditions": [{{"type": "Ready", "status": "{ready}",
                "lastTransitionTime": "2023-05-01T10:00:0{}Z"}}]}}}}"#,
            name.len()
        );
        Arc::new(serde_json::from_str(&text).unwrap())
    }

    #[test]
    fn what_is_lost_least_by_goes_first() {
        let cost = r#", "annotations": {"controller.kubernetes.io/pod-deletion-cost": "-1"}"#;
        let mut pods = vec![
            pod("a", "lonely", "Running", "True", ""),
            pod("b", "n", "Running", "True", ""),
            pod("cc", "n", "Running", "True", ""),
            pod("cheap", "lone", "Running", "True", cost),
            pod("unready", "n", "Running", "False", ""),
            pod("pending", "n", "Pending", "False", ""),
            pod("nowhere", "", "Pending", "False", ""),
        ];
        let mut related = pods.clone();
        let mut sorted = |related: &[Arc<Pod>]| -> Vec<String> {
            sort_by_loss(&mut pods, related);
            pods.iter().filter_map(|pod| pod.metadata.name.clone()).collect()
        };
        assert_eq!(sorted(&related), ["nowhere", "pending", "unready", "cheap", "cc", "b", "a"]);
        related.extend((0..4).map(|_| pod("another", "lonely", "Pending", "False", ""))); // five there, and four on n
        assert_eq!(sorted(&related), ["nowhere", "pending", "unready", "cheap", "a", "cc", "b"]);
    }
}
