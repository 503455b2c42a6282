//! The condition `DisruptionTarget` of a pod says that the pod is about to be deleted. If the deletion does not come in
//! time, this part of the controller sets the condition to false. Upstream: `syncStalePodDisruption`.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{Pod, PodCondition};
use kube_client::api::{Patch, PatchParams};
use serde_json::json;

use super::{Controller, Key};
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, namespace};
use crate::shared::pods::{has_ended, is_going};
use crate::shared::recorder::Reason;

/// The time in which a pod with the condition must be marked as deleted. Upstream: `stalePodDisruptionTimeout`.
const TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// Returns the delay after which the condition of a pod must be reset; `None` if the pod has no such condition, or if
/// the pod has ended or is being deleted. Upstream: `nonTerminatingPodHasStaleDisruptionCondition`.
pub(super) fn reset_after(pod: &Pod, now: Timestamp) -> Option<Duration> {
    let is_set = |condition: &&PodCondition| {
        // The kubelet may take any time to stop a pod.
        let by_kubelet = condition.reason.as_deref() == Some("TerminationByKubelet");
        condition.type_ == DISRUPTION_TARGET && condition.status == "True" && !by_kubelet
    };
    let condition = pod.status.as_ref()?.conditions.iter().flatten().find(is_set)?;
    if is_going(pod) || has_ended(pod) {
        return None;
    }
    let since = condition.last_transition_time.as_ref().map_or(Timestamp::MIN, |time| time.0);
    Some(Duration::try_from(TIMEOUT - now.duration_since(since)).unwrap_or_default())
}

impl Controller {
    /// Resets the condition of a pod if its time is over, and writes an Event if several budgets select the pod.
    pub(super) async fn sync_pod(&self, key: &str) -> Result<(), SyncError> {
        let Some(pod) = self.pods.get(key) else { return Ok(()) };
        self.report_several_budgets(&pod).await;
        match reset_after(&pod, self.clock.time()) {
            None => Ok(()),
            Some(Duration::ZERO) => self.reset(key, &pod).await,
            Some(delay) => {
                self.queue.add_after(Key::Pod(key.to_owned()), delay);
                Ok(())
            }
        }
    }

    async fn reset(&self, key: &str, pod: &Pod) -> Result<(), SyncError> {
        let condition = json!({
            "type": DISRUPTION_TARGET, "status": "False", "reason": null, "message": null,
            "lastTransitionTime": self.clock.now(), "observedGeneration": pod.metadata.generation,
        });
        let patch = json!({
            "metadata": {"resourceVersion": pod.metadata.resource_version}, "status": {"conditions": [condition]},
        });
        let api = api(&self.client, &pod.metadata, &self.kind_of_pods);
        let written = api.patch_status(name(&pod.metadata), &PatchParams::default(), &Patch::Strategic(patch)).await;
        written.map(drop).map_err(SyncError::refused(format!("reset the condition of {key}")))
    }

    async fn report_several_budgets(&self, pod: &Pod) {
        if let [first, _, ..] = &self.budgets_of(pod)[..] {
            let (namespace, pod_name) = (namespace(&pod.metadata), name(&pod.metadata));
            let message = format!(
                "Pod {namespace:?}/{pod_name:?} matches multiple PodDisruptionBudgets.  Chose {:?} arbitrarily.",
                name(&first.metadata)
            );
            self.pod_recorder.record(&pod.metadata, Reason::MultiplePodDisruptionBudgets, message).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn delay(phase: &str, reason: &str, deleted: Value) -> Option<Duration> {
        let pod = json!({
            "metadata": {"deletionTimestamp": deleted},
            "status": {"phase": phase, "conditions": [{
                "type": "DisruptionTarget", "status": "True", "reason": reason,
                "lastTransitionTime": "2023-05-01T10:00:00Z",
            }]},
        });
        reset_after(&serde_json::from_value(pod).unwrap(), "2023-05-01T10:01:30Z".parse().unwrap())
    }

    #[test]
    fn a_pod_that_is_not_deleted_loses_its_condition_after_two_minutes() {
        assert_eq!(delay("Running", "EvictionByEvictionAPI", Value::Null), Some(Duration::from_secs(30)));
        assert_eq!(delay("Running", "TerminationByKubelet", Value::Null), None);
        assert_eq!(delay("Failed", "EvictionByEvictionAPI", Value::Null), None);
        assert_eq!(delay("Running", "EvictionByEvictionAPI", json!("2023-05-01T10:00:00Z")), None);
    }
}
