//! One sync of a Deployment, which is one comparison of the Deployment with its ReplicaSets: holds the state, chooses
//! the next step of the rollout, and writes the status. Upstream: `syncDeployment`.

use std::sync::Arc;

use kube_client::api::{DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};

use super::Controller;
use super::replica_sets::{
    DESIRED_REPLICAS, REVISION, available, count_annotation, existing, same_template, sum, wanted,
};
use super::spec::{Spec, Strategy};
use super::status::{Condition, Status};
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, api, name, number};
use crate::shared::recorder::Reason;
use crate::shared::status;

pub(super) struct DeploymentSync<'a> {
    pub(super) controller: &'a Controller,
    pub(super) key: &'a str,
    pub(super) deployment: Arc<DynamicObject>,
    pub(super) spec: Spec,
    /// The ReplicaSets from old to new, including the writes of this sync.
    pub(super) sets: Vec<DynamicObject>,
    /// The index of the ReplicaSet that has the Deployment's template.
    pub(super) new: Option<usize>,
    /// The status before this sync; `status` is the one that is written after it.
    pub(super) before: Status,
    pub(super) status: Status,
    /// The revision of the new ReplicaSet, once it is known. The Deployment gets it, too.
    pub(super) revision: Option<String>,
}

impl<'a> DeploymentSync<'a> {
    pub(super) fn new(
        controller: &'a Controller,
        key: &'a str,
        deployment: Arc<DynamicObject>,
        sets: Vec<Arc<DynamicObject>>,
    ) -> Self {
        let before: Status = serde_json::from_value(deployment.data["status"].clone()).unwrap_or_default();
        let template = &deployment.data["spec"]["template"];
        // If several ReplicaSets have the same template, the oldest is always the new one. Upstream:
        // `FindNewReplicaSet`.
        let new = sets.iter().position(|set| same_template(&set.data["spec"]["template"], template));
        Self {
            controller,
            key,
            spec: Spec::of(&deployment),
            sets: sets.into_iter().map(Arc::unwrap_or_clone).collect(),
            new,
            status: before.clone(),
            before,
            revision: None,
            deployment,
        }
    }

    /// Updates the new ReplicaSet and does the next step. For a Deployment that is being deleted, only computes the
    /// counts; resizes the ReplicaSets of one that was scaled or is paused; otherwise continues the rollout by its
    /// strategy.
    pub(super) async fn advance(&mut self) -> Result<(), SyncError> {
        let going = self.deployment.metadata.deletion_timestamp.is_some();
        if !going {
            self.note_pause();
        }
        self.update_new_set().await?;
        if going {
            self.count();
        } else if self.spec.paused {
            self.scale().await?;
            self.clean_up().await?;
            self.count();
        } else if self.is_scaled() {
            self.scale().await?;
            self.count();
        } else {
            match self.spec.strategy {
                Strategy::Recreate => self.recreate().await?,
                Strategy::RollingUpdate { .. } => self.roll().await?,
            }
            self.update_progress();
        }
        Ok(())
    }

    /// Returns the indexes of all ReplicaSets except the new one.
    pub(super) fn old(&self) -> Vec<usize> {
        (0..self.sets.len()).filter(|i| Some(*i) != self.new).collect()
    }

    /// Returns the ReplicaSet with the Deployment's template.
    pub(super) fn new_set(&self) -> Option<&DynamicObject> {
        self.new.map(|new| &self.sets[new])
    }

    /// Returns the indexes, out of `indexes`, whose ReplicaSets ask for pods.
    pub(super) fn active(&self, indexes: impl IntoIterator<Item = usize>) -> Vec<usize> {
        indexes.into_iter().filter(|i| wanted(&self.sets[*i]) > 0).collect()
    }

    /// Returns true if `replicas` has changed since the ReplicaSets were last resized. Upstream: `isScalingEvent`.
    fn is_scaled(&self) -> bool {
        let active = self.active(0..self.sets.len());
        active
            .iter()
            .filter_map(|i| count_annotation(&self.sets[*i], DESIRED_REPLICAS))
            .any(|desired| desired != self.spec.replicas)
    }

    /// Returns true if, by `status`, every pod is new and available. Upstream: `DeploymentComplete`.
    pub(super) fn is_complete(&self, status: &Status) -> bool {
        let generation = self.deployment.metadata.generation.unwrap_or_default();
        [status.updated_replicas, status.replicas, status.available_replicas] == [self.spec.replicas; 3]
            && status.observed_generation >= generation
    }

    /// Computes the counts of the status, and the condition `Available`. Upstream: `calculateStatus`.
    pub(super) fn count(&mut self) {
        let (sets, now) = (&self.sets, self.controller.clock.now());
        let available = sum(sets, available);
        let status = &mut self.status;
        status.observed_generation = self.deployment.metadata.generation.unwrap_or_default();
        status.replicas = sum(sets, existing);
        status.updated_replicas = self.new.map_or(0, |new| existing(&sets[new]));
        status.ready_replicas = sum(sets, |set| number(set, "/status/readyReplicas"));
        status.available_replicas = available;
        status.unavailable_replicas = (sum(sets, wanted) - available).max(0);
        status.terminating_replicas = terminating(sets);
        let (truth, reason, message) = if available >= self.spec.least_available() {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        status.set(Condition::new("Available", truth, reason, message.to_owned(), &now));
    }

    pub(super) async fn write_status(&self) -> Result<(), SyncError> {
        let revision = self.revision.as_deref().filter(|new| annotation(&self.deployment, REVISION) != Some(*new));
        if self.status == self.before && revision.is_none() {
            return Ok(());
        }
        let mut patch = json!({ "status": self.status });
        if let Some(revision) = revision {
            patch["metadata"]["annotations"] = json!({REVISION: revision});
        }
        let (controller, metadata) = (self.controller, &self.deployment.metadata);
        let api = api(&controller.client, metadata, &controller.kind);
        status::write(&api, metadata, patch, self.key, &controller.statuses).await.map(drop)
    }

    /// Patches a ReplicaSet, and replaces it in `sets` by the result.
    pub(super) async fn change_set(&mut self, index: usize, mut patch: Value) -> Result<(), SyncError> {
        let metadata = &self.sets[index].metadata;
        patch["metadata"]["resourceVersion"] = json!(metadata.resource_version);
        let api = api(&self.controller.client, &self.deployment.metadata, &self.controller.kind_of_sets);
        let changed = api.patch(name(metadata), &PatchParams::default(), &Patch::Merge(patch)).await;
        let changed = changed.map_err(SyncError::refused(format!("change a ReplicaSet of {}", self.key)))?;
        self.controller.set_writes.wrote(self.key, changed.metadata.resource_version.clone());
        self.sets[index] = changed;
        Ok(())
    }

    pub(super) async fn record(&self, reason: Reason, message: String) {
        self.controller.recorder.record(&self.deployment.metadata, reason, message).await;
    }
}

/// Returns the number of terminating pods, or `None` if a ReplicaSet's controller does not report it. Upstream:
/// `GetTerminatingReplicaCountForReplicaSets`.
fn terminating(sets: &[DynamicObject]) -> Option<i64> {
    let terminating_of = |set: &DynamicObject| {
        // A ReplicaSet that its controller has not seen yet has no pods.
        let unseen = number(set, "/status/observedGeneration") == 0;
        set.data.pointer("/status/terminatingReplicas").and_then(Value::as_i64).or(unseen.then_some(0))
    };
    sets.iter().map(terminating_of).sum()
}
