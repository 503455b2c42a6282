//! Decides which pods belong to a Job: adopts matching pods without a controller, and releases pods that no longer
//! match. It differs from `ControllerRefManager` by the finalizer, which a pod gets when it is adopted and loses when
//! it is released. Upstream: `getPodsForJob`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DynamicObject, Patch, PatchParams};
use serde_json::{Value, json};

use super::{Controller, pods};
use crate::shared::controller_ref_manager::can_adopt;
use crate::shared::error::SyncError;
use crate::shared::handlers::Enqueue;
use crate::shared::object::{api, name, namespace, orphans_of, owned_by, uid};
use kube_machinery::conventions::label_selector;

impl Controller {
    /// Returns the pods of a Job, including those that have ended. Releases pods that the selector no longer matches,
    /// and adopts matching pods that have no controller.
    pub(super) async fn claim(&self, job: &DynamicObject) -> Result<Vec<Arc<Pod>>, SyncError> {
        let selector = label_selector::read(&job.data["spec"]["selector"].clone().into())?;
        let metadata = &job.metadata;
        let going = metadata.deletion_timestamp.is_some();
        let mut claimed = Vec::new();
        for pod in self.pods_by_owner.get(uid(metadata)).iter() {
            if selector.matches(pod.metadata.labels.as_ref()) {
                claimed.push(pod.clone());
            } else if !going {
                let no_owner = json!([{"$patch": "delete", "uid": metadata.uid}]);
                let mut patch = json!({"metadata": {"uid": pod.metadata.uid, "ownerReferences": no_owner}});
                patch["metadata"]["$deleteFromPrimitiveList/finalizers"] = json!([pods::TRACKED]);
                self.change_pod(job, pod, patch).await?;
            }
        }
        for pod in self.pods_by_owner.get(&orphans_of(namespace(metadata))).iter() {
            let free = !going && !pods::is_going(pod) && selector.matches(pod.metadata.labels.as_ref());
            if free {
                self.adopt(job, pod).await?; // the next sync returns it
            }
        }
        Ok(claimed)
    }

    /// Makes the Job the controller of a pod, and adds the finalizer.
    async fn adopt(&self, job: &DynamicObject, pod: &Pod) -> Result<(), SyncError> {
        let metadata = &job.metadata;
        can_adopt(&self.client, metadata, &self.kind).await?;
        let owner = owned_by(metadata, &self.kind);
        let finalizers = json!([pods::TRACKED]);
        let patch = json!({"metadata": {"uid": pod.metadata.uid, "ownerReferences": owner, "finalizers": finalizers}});
        self.change_pod(job, pod, patch).await
    }

    /// Patches a pod, if it still exists.
    pub(super) async fn change_pod(&self, job: &DynamicObject, pod: &Pod, patch: Value) -> Result<(), SyncError> {
        let api = api(&self.client, &job.metadata, &self.kind_of_pods);
        match api.patch(name(&pod.metadata), &PatchParams::default(), &Patch::Strategic(patch)).await {
            Ok(changed) => {
                let key = format!("{}/{}", namespace(&job.metadata), name(&job.metadata));
                self.pod_writes.wrote(&key, changed.metadata.resource_version);
                Ok(())
            }
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            Err(error) => Err(SyncError::refused("change a pod of a Job")(error)),
        }
    }

    /// Removes the tracking finalizer from a pod that has been counted.
    pub(super) async fn untrack(&self, job: &DynamicObject, pod: &Pod) -> Result<(), SyncError> {
        let patch =
            json!({"metadata": {"uid": pod.metadata.uid, "$deleteFromPrimitiveList/finalizers": [pods::TRACKED]}});
        self.change_pod(job, pod, patch).await
    }

    /// Removes the tracking finalizer from a pod that no Job counts. Upstream: `syncOrphanPod`.
    pub(super) async fn release_orphan(&self, key: &str) -> Result<(), SyncError> {
        let Ok(pod) = self.pods.get(key) else { return Ok(()) };
        if !pods::is_tracked(&pod.metadata) || self.owner(&pod.metadata).is_some() {
            return Ok(());
        }
        let metadata = &pod.metadata;
        let patch = json!({"metadata": {"uid": metadata.uid, "$deleteFromPrimitiveList/finalizers": [pods::TRACKED]}});
        let api = api(&self.client, metadata, &self.kind_of_pods);
        match api.patch(name(metadata), &PatchParams::default(), &Patch::Strategic(patch)).await {
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            released => released.map(drop).map_err(SyncError::refused(format!("release the pod {key}"))),
        }
    }
}
