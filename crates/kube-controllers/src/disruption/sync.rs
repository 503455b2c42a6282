//! One sync of a budget: counts its pods, and writes its status. Upstream: `sync`, `trySync`.

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DynamicObject, PostParams};
use kube_machinery::conventions::label_selector;
use serde_json::Value;

use super::disrupted_pods::{DisruptedPods, count_healthy};
use super::handlers::selector;
use super::status::{self, Counts};
use super::{Controller, Key};
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, namespace};
use crate::shared::recorder::Reason;

impl Controller {
    /// Reconciles one budget. If its status cannot be computed, the budget allows no eviction any more.
    pub(super) async fn sync_budget(&self, key: &str) -> Result<(), SyncError> {
        self.statuses.wait_for(key, &self.informer.reader()).await;
        let Ok(budget) = self.budgets.get(key) else { return Ok(()) };
        match self.try_sync(key, &budget).await {
            Err(error) if !error.is_conflict() => {
                let failed = status::failed(&budget, &error.reason(), &self.clock.now());
                self.write_status(key, &budget, failed).await
            }
            done => done,
        }
    }

    async fn try_sync(&self, key: &str, budget: &DynamicObject) -> Result<(), SyncError> {
        let pods = self.pods.select_in(namespace(&budget.metadata), &selector(budget)?);
        if pods.is_empty() {
            self.record(budget, Reason::NoPods, "No matching pods found".to_owned()).await;
        }
        let expected = match self.expected(budget, &pods).await {
            Ok(expected) => expected,
            Err(error) => {
                let message = format!("Failed to calculate the number of expected pods: {}", error.reason());
                self.record(budget, Reason::CalculateExpectedPodCountFailed, message).await;
                return Err(error);
            }
        };
        if expected.has_unmanaged {
            self.record(budget, Reason::UnmanagedPods, unmanaged(budget)).await;
        }
        let now = self.clock.time();
        let disrupted = DisruptedPods::of(budget, &pods, now);
        for pod in &disrupted.not_deleted {
            self.record_not_deleted(budget, pod).await;
        }
        let counts = Counts::new(count_healthy(&pods, &disrupted.times), &expected, disrupted.times);
        if let Some(status) = status::updated(budget, counts, &self.clock.now()) {
            self.write_status(key, budget, status).await?;
        }
        if let Some(delay) = disrupted.recheck_after {
            self.queue.add_after(Key::Budget(key.to_owned()), delay);
        }
        Ok(())
    }

    /// Replaces the status. The budget's resourceVersion turns a write of a stale state into a conflict, after which the
    /// key is tried again. Upstream: `writePdbStatus`.
    async fn write_status(&self, key: &str, budget: &DynamicObject, status: Value) -> Result<(), SyncError> {
        let api = api(&self.client, &budget.metadata, &self.kind);
        let mut new = DynamicObject::new("", &self.kind).data(budget.data.clone());
        new.metadata = budget.metadata.clone();
        new.data["status"] = status;
        let written = api.replace_status(name(&budget.metadata), &PostParams::default(), &new).await;
        let written = written.map_err(SyncError::refused(format!("write the status of {key}")))?;
        self.statuses.wrote(key, written.metadata.resource_version);
        Ok(())
    }

    async fn record(&self, budget: &DynamicObject, reason: Reason, message: String) {
        self.budget_recorder.record(&budget.metadata, reason, message).await;
    }

    /// Writes the Event about an evicted pod that was not deleted. Upstream names the namespace twice, instead of the
    /// budget.
    async fn record_not_deleted(&self, budget: &DynamicObject, pod: &Pod) {
        let namespace = namespace(&budget.metadata);
        let message = format!("Pod was expected by PDB {namespace}/{namespace} to be deleted but it wasn't");
        self.pod_recorder.record(&pod.metadata, Reason::NotDeleted, message).await;
    }
}

fn unmanaged(budget: &DynamicObject) -> String {
    let selector = label_selector::in_go(&budget.data["spec"]["selector"].clone().into());
    format!(
        "Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. As a result, the \
         status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these \
         pods please set \".spec.minAvailable\" field of the PDB to an integer value."
    )
}
