//! The pods that the API server has evicted and that are not being deleted yet (`status.disruptedPods`). They do not
//! count as healthy. Upstream: `buildDisruptedPodMap`, `countHealthyPods`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;

use crate::shared::object::name;
use crate::shared::pods::{is_going, is_ready};

/// The time in which an evicted pod must be marked as deleted. After that, its deletion has probably failed, so the pod
/// counts as healthy again. Upstream: `DeletionTimeout`.
const DELETION_TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

/// The time of the eviction of each pod, by the pod's name.
pub(super) type Times = BTreeMap<String, String>;

#[derive(Debug, Default)]
pub(super) struct DisruptedPods {
    pub(super) times: Times,
    /// The delay after which the first of these pods no longer counts as disrupted.
    pub(super) recheck_after: Option<Duration>,
    /// The pods that were not deleted in time.
    pub(super) not_deleted: Vec<Arc<Pod>>,
}

impl DisruptedPods {
    /// Keeps those disrupted pods of a budget that still exist, are not being deleted, and have time left.
    pub(super) fn of(budget: &DynamicObject, pods: &[Arc<Pod>], now: Timestamp) -> Self {
        let before = times(budget);
        let mut disrupted = Self::default();
        for pod in pods.iter().filter(|pod| !is_going(pod)) {
            let Some(time) = before.get(name(&pod.metadata)) else { continue };
            match left(time, now) {
                None => disrupted.not_deleted.push(pod.clone()),
                Some(left) => {
                    disrupted.recheck_after = Some(disrupted.recheck_after.map_or(left, |first| first.min(left)));
                    disrupted.times.insert(name(&pod.metadata).to_owned(), time.clone());
                }
            }
        }
        disrupted
    }
}

/// Returns the disrupted pods in the status of a budget.
pub(super) fn times(budget: &DynamicObject) -> Times {
    let pods = budget.data["status"]["disruptedPods"].as_object().into_iter().flatten();
    pods.map(|(pod, time)| (pod.clone(), time.as_str().unwrap_or_default().to_owned())).collect()
}

/// Returns the time that is left for a deletion; `None` if it is over. Unlike upstream, it is over at the last instant,
/// because a paused clock may stand still at this instant when the budget is synced again.
fn left(time: &str, now: Timestamp) -> Option<Duration> {
    let left = time.parse::<Timestamp>().ok()? + DELETION_TIMEOUT - now;
    Duration::try_from(left).ok().filter(|left| !left.is_zero())
}

/// Returns the number of pods that are ready, not being deleted and not disrupted.
pub(super) fn count_healthy(pods: &[Arc<Pod>], disrupted: &Times) -> i64 {
    let is_healthy = |pod: &&Arc<Pod>| !is_going(pod) && !disrupted.contains_key(name(&pod.metadata)) && is_ready(pod);
    pods.iter().filter(is_healthy).count().try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use kube_client::api::ApiResource;
    use serde_json::json;

    use super::*;

    fn pod(name: &str, going: bool) -> Arc<Pod> {
        let deleted = going.then_some("2023-05-01T10:00:00Z");
        let pod = json!({
            "metadata": {"name": name, "deletionTimestamp": deleted},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        });
        Arc::new(serde_json::from_value(pod).unwrap())
    }

    #[test]
    fn disrupted_pods_count_again_after_two_minutes() {
        let kind = ApiResource::erase::<k8s_openapi::api::policy::v1::PodDisruptionBudget>(&());
        let budget = DynamicObject::new("b", &kind).data(json!({"status": {"disruptedPods": {
            "late": "2023-05-01T10:00:00Z", "next": "2023-05-01T10:00:30Z", "last": "2023-05-01T10:01:00Z",
            "going": "2023-05-01T10:01:00Z", "gone": "2023-05-01T10:01:00Z",
        }}}));
        let pods = [pod("late", false), pod("next", false), pod("last", false), pod("going", true), pod("a", false)];
        let disrupted = DisruptedPods::of(&budget, &pods, "2023-05-01T10:02:00Z".parse().unwrap());
        assert_eq!(disrupted.times.keys().collect::<Vec<_>>(), ["last", "next"]);
        assert_eq!(disrupted.recheck_after, Some(Duration::from_secs(30)));
        assert_eq!(disrupted.not_deleted, [pod("late", false)]);
        assert_eq!(count_healthy(&pods, &disrupted.times), 2, "late and a");
    }
}
