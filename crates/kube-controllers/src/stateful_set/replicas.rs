//! Creates and repairs the wanted pods of a StatefulSet in the order of their ordinals, and deletes surplus pods in the
//! reverse order. With `podManagementPolicy: OrderedReady` ("ordered"), a sync stops at the first pod that is not
//! available; the next change of that pod causes the next sync. Upstream: `processReplica`, `processCondemned`.

use std::ops::ControlFlow;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_informers::cache::with_causes;
use serde_json::json;

use super::identity::{is_labelled, labels, new_pod, ordinal};
use super::sync::StatefulSetSync;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, number};
use crate::shared::pods;
use crate::shared::recorder::Reason;

/// The choice to go on with the next pod, or to wait for this one.
pub(super) type Next = ControlFlow<()>;

const GO_ON: Next = ControlFlow::Continue(());
const WAIT: Next = ControlFlow::Break(());

impl StatefulSetSync<'_> {
    /// Creates or repairs each wanted pod. With ordered management, each pod waits for the one before it.
    pub(super) async fn ensure_replicas(&self) -> Result<Next, SyncError> {
        for index in 0..self.replicas.len() {
            if self.ensure_replica(index).await?.is_break() && self.spec.ordered {
                return Ok(WAIT);
            }
        }
        Ok(GO_ON)
    }

    /// Creates a missing pod, deletes an ended pod, or repairs the labels and claims of a pod that runs.
    async fn ensure_replica(&self, index: usize) -> Result<Next, SyncError> {
        let ordinal = self.spec.start + i64::try_from(index).unwrap_or(i64::MAX);
        let Some(pod) = &self.replicas[index] else {
            self.create(ordinal).await?;
            return Ok(WAIT);
        };
        if pods::has_ended(pod) {
            if !pods::is_going(pod) {
                self.delete(pod).await?;
            }
            return Ok(WAIT);
        }
        // As upstream, a pending pod gets the claims that are missing: a deleted claim would keep it pending for ever.
        if pods::phase(pod) == "Pending" {
            self.create_claims(ordinal).await?;
        }
        let runs = pods::phase(pod) == "Running" && self.is_available(pod);
        if self.spec.ordered && (pods::is_going(pod) || !runs) {
            return Ok(WAIT);
        }
        if !is_labelled(pod) && !pods::is_going(pod) {
            self.write_identity(pod, ordinal).await?;
        }
        self.update_claim_owners(pod, ordinal).await?;
        Ok(GO_ON)
    }

    /// Deletes the surplus pods, highest ordinal first; with ordered management, one at a time.
    pub(super) async fn scale_down(&self) -> Result<Next, SyncError> {
        for pod in &self.condemned {
            let ordinal = ordinal(name(&self.set.metadata), name(&pod.metadata)).unwrap_or_default();
            self.update_claim_owners(pod, ordinal).await?;
        }
        // The unavailable pod with the lowest ordinal: it may go without being available.
        let unavailable = self.condemned.iter().rfind(|pod| self.is_unavailable(Some(pod)));
        for pod in &self.condemned {
            let is_first_unavailable = unavailable.is_some_and(|unavailable| Arc::ptr_eq(unavailable, pod));
            if !pods::is_going(pod) {
                let waits = self.spec.ordered && !is_first_unavailable && !self.is_available(pod);
                if !waits {
                    self.delete(pod).await?;
                }
            }
            if self.spec.ordered {
                return Ok(WAIT);
            }
        }
        Ok(GO_ON)
    }

    /// Creates a pod with its claims. Waits while one of the claims belongs to an earlier pod.
    async fn create(&self, ordinal: i64) -> Result<(), SyncError> {
        let controller = self.controller;
        if self.has_stale_claim(ordinal) {
            self.controller.queue.add_after(self.key.to_owned(), super::RETRY_DELAY);
            return Ok(());
        }
        self.create_claims(ordinal).await?;
        let revision = if self.starts_at_current_revision(ordinal) { &self.current } else { &self.update };
        let pod = new_pod(&self.set, ordinal, revision, (&controller.kind, &controller.kind_of_pods));
        let api = api(&controller.client, &self.set.metadata, &controller.kind_of_pods);
        match api.create(&PostParams::default(), &pod).await {
            Ok(created) => {
                controller.pod_writes.wrote(self.key, created.metadata.resource_version);
                self.record(Reason::SuccessfulCreate, "create", name(&pod.metadata), "successful").await;
                Ok(())
            }
            Err(error) => {
                let error = SyncError::refused(format!("create {}", name(&pod.metadata)))(error);
                let end = format!("failed error: {}", with_causes(&error));
                self.record(Reason::FailedCreate, "create", name(&pod.metadata), &end).await;
                Err(error)
            }
        }
    }

    /// Returns true if a new pod gets the revision from before the update. Upstream: `newVersionedStatefulSetPod`.
    fn starts_at_current_revision(&self, ordinal: i64) -> bool {
        let Some(rolling) = self.spec.rolling else { return false };
        // The number of pods that keep the old revision: the partition or, without `rollingUpdate`, the number of pods
        // that have it now.
        let old = rolling.partition.unwrap_or_else(|| number(&self.set, "/status/currentReplicas"));
        ordinal < self.spec.start + old
    }

    pub(super) async fn delete(&self, pod: &Pod) -> Result<(), SyncError> {
        let controller = self.controller;
        let api = api(&controller.client, &self.set.metadata, &controller.kind_of_pods);
        match api.delete(name(&pod.metadata), &DeleteParams::default()).await {
            Ok(deleted) => {
                if let Some(going) = deleted.left() {
                    controller.pod_writes.wrote(self.key, going.metadata.resource_version);
                }
                self.record(Reason::SuccessfulDelete, "delete", name(&pod.metadata), "successful").await;
                Ok(())
            }
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(SyncError::refused(format!("delete {}", name(&pod.metadata)))(error)),
        }
    }

    /// Gives an adopted pod the labels of its identity.
    async fn write_identity(&self, pod: &Pod, ordinal: i64) -> Result<(), SyncError> {
        let (controller, pod_name) = (self.controller, name(&pod.metadata));
        let patch = json!({"metadata": {"uid": pod.metadata.uid, "labels": labels(pod_name, ordinal)}});
        let api = api(&controller.client, &self.set.metadata, &controller.kind_of_pods);
        let changed = api.patch(pod_name, &PatchParams::default(), &Patch::Merge(patch)).await;
        let changed = changed.map_err(SyncError::refused(format!("label {pod_name}")))?;
        controller.pod_writes.wrote(self.key, changed.metadata.resource_version);
        Ok(())
    }

    async fn record(&self, reason: Reason, verb: &str, pod: &str, end: &str) {
        let message = format!("{verb} Pod {pod} in StatefulSet {} {end}", name(&self.set.metadata));
        self.controller.recorder.record(&self.set.metadata, reason, message).await;
    }
}
