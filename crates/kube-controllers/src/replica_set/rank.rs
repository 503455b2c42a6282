//! The order in which the surplus pods of a ReplicaSet are deleted when it is scaled down: first those whose loss hurts
//! least, such as pods that do not run yet. Upstream: `ActivePodsWithRanks` in `pkg/controller/controller_utils.go`.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use crate::shared::slim_pod::{Phase, SlimPod};

/// Sorts the pods of a ReplicaSet by the order of their deletion. `related` are the active pods of all ReplicaSets with
/// the same controller, including this one. Upstream: `getPodsRankedByRelatedPodsOnSameNode`.
pub(super) fn sort_by_deletion_order(pods: &mut [Arc<SlimPod>], related: &[Arc<SlimPod>]) {
    let mut active_on: HashMap<&str, usize> = HashMap::new();
    for pod in related {
        *active_on.entry(pod.node()).or_default() += 1;
    }
    // Pods with many related pods on their node go first, so the rest is spread over the nodes.
    let neighbours = |pod: &SlimPod| active_on.get(pod.node()).copied().unwrap_or_default();
    pods.sort_by_cached_key(|pod| deletion_rank(pod, neighbours(pod)));
}

/// The sort key: unassigned before assigned; pending before running; not ready before ready; low deletion cost before
/// high; many related pods on the node before few; ready for a short time before a long time; many restarts before few;
/// young before old.
fn deletion_rank(pod: &SlimPod, neighbours: usize) -> impl Ord + use<> {
    (
        !pod.node().is_empty(),
        progress(pod.phase()),
        pod.is_ready(),
        pod.deletion_cost(),
        Reverse(neighbours),
        Reverse(pod.ready_since()),
        Reverse(pod.restarts()),
        Reverse(pod.created()),
        pod.name().to_owned(),
    )
}

/// Ranks phases: the further a pod has come, the later it is deleted. Upstream: `podPhaseToOrdinal`.
fn progress(phase: Phase) -> u8 {
    match phase {
        Phase::Running => 2,
        Phase::Unknown => 1,
        Phase::Pending | Phase::Succeeded | Phase::Failed | Phase::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a pod. The longer its name is, the later it became ready.
    fn pod(name: &str, node: &str, phase: &str, ready: &str, more: &str) -> Arc<SlimPod> {
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
    fn the_least_valuable_pods_are_deleted_first() {
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
        let mut sorted = |related: &[Arc<SlimPod>]| -> Vec<String> {
            sort_by_deletion_order(&mut pods, related);
            pods.iter().map(|pod| pod.name().to_owned()).collect()
        };
        assert_eq!(sorted(&related), ["nowhere", "pending", "unready", "cheap", "cc", "b", "a"]);
        related.extend((0..4).map(|_| pod("another", "lonely", "Pending", "False", ""))); // five on lonely now, and four on n
        assert_eq!(sorted(&related), ["nowhere", "pending", "unready", "cheap", "a", "cc", "b"]);
    }
}
