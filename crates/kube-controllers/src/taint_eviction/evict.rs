//! Evicts a pod: reports that, explains the end of the pod in a condition, and deletes the pod. Upstream:
//! `deletePodHandler`, `addConditionAndDeletePod`.

use std::time::Duration;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Api;
use kube_client::api::{DeleteParams, DynamicObject, Patch, PatchParams};
use kube_informers::cache::with_causes;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::recorder::Reason;

/// The number of attempts to evict a pod. Upstream: `retries`.
const ATTEMPTS: usize = 5;

/// The delay after a failed attempt.
const RETRY: Duration = Duration::from_millis(10);

impl Controller {
    /// Evicts a pod if its time is over. As in upstream, a pod stays if all [`ATTEMPTS`] fail, until a change of its
    /// node's taints or of its tolerations plans another eviction.
    pub(super) async fn evict(&self, pod: &str) -> Result<(), SyncError> {
        if !self.evictions.begin(pod) {
            return Ok(());
        }
        self.record(pod, format!("Marking for deletion Pod {pod}")).await;
        for _ in 0..ATTEMPTS {
            match self.explain_and_delete(pod).await {
                Ok(()) => break,
                Err(error) => tracing::debug!(pod, error = %with_causes(&error), "a pod could not be evicted"),
            }
            sleep(RETRY).await;
        }
        self.evictions.done(pod);
        Ok(())
    }

    async fn explain_and_delete(&self, key: &str) -> Result<(), SyncError> {
        let refused = || SyncError::refused(format!("evict {key}"));
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &self.kind_of_pods);
        let pod = api.get(name).await.map_err(refused())?;
        if let Some(condition) = self.condition(&pod) {
            let patch = json!({"metadata": {"uid": pod.metadata.uid}, "status": {"conditions": [condition]}});
            api.patch_status(name, &PatchParams::default(), &Patch::Strategic(patch)).await.map_err(refused())?;
        }
        api.delete(name, &DeleteParams::default()).await.map(drop).map_err(refused())
    }

    /// Returns the condition that explains the end of a pod; `None` if the pod has it.
    fn condition(&self, pod: &DynamicObject) -> Option<Value> {
        const REASON: &str = "DeletionByTaintManager";
        const MESSAGE: &str = "Taint manager: deleting due to NoExecute taint";
        let generation = pod.metadata.generation;
        let conditions = pod.data["status"]["conditions"].as_array();
        let before = conditions.into_iter().flatten().find(|condition| condition["type"] == "DisruptionTarget");
        let is_true = before.is_some_and(|before| before["status"] == "True");
        let is_same = |before: &Value| {
            let observed = before["observedGeneration"].as_i64();
            before["reason"] == REASON && before["message"] == MESSAGE && observed == generation
        };
        if is_true && before.is_some_and(is_same) {
            return None;
        }
        let since = before.map(|before| &before["lastTransitionTime"]).filter(|_| is_true);
        Some(json!({
            "type": "DisruptionTarget", "status": "True", "reason": REASON, "message": MESSAGE,
            "lastTransitionTime": since.cloned().unwrap_or_else(|| self.clock.now().into()),
            "observedGeneration": generation,
        }))
    }

    /// Writes an Event about a pod. As in upstream, it does not have the pod's uid.
    pub(super) async fn record(&self, pod: &str, message: String) {
        let (namespace, name) = pod.split_once('/').unwrap_or(("", pod));
        let pod =
            ObjectMeta { namespace: Some(namespace.to_owned()), name: Some(name.to_owned()), ..ObjectMeta::default() };
        self.recorder.record(&pod, Reason::TaintManagerEviction, message).await;
    }
}
