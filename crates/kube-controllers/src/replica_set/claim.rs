//! Decides which pods belong to a ReplicaSet: adopts pods that its selector matches and that have no controller, and
//! releases pods that it no longer matches. Unlike the shared `ControllerRefManager`, it reports each step to the
//! observer. Upstream: `PodControllerRefManager` in `pkg/controller/controller_ref_manager.go`.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{ApiResource, Patch, PatchParams};
use serde_json::{Value, json};

use super::observer::SyncEvent;
use super::sync::is_status;
use super::{Controller, pods, spec};
use crate::shared::controller_ref_manager::can_adopt;
use crate::shared::error::SyncError;
use crate::shared::object::{api, controller, namespace, orphans_of, uid};
use crate::shared::slim_pod::SlimPod;
use kube_selectors::LabelSelector;

impl Controller {
    /// Returns the active pods of a ReplicaSet, from the cache. Releases pods that the selector no longer matches, and
    /// adopts matching pods that have no controller.
    pub(super) async fn claim(&self, set: &ReplicaSet) -> Result<Vec<Arc<SlimPod>>, SyncError> {
        let selector = spec::selector(set)?;
        let selected = |pod: &SlimPod| selector.matches_values(|key| pod.labels().get(key));
        let going = set.metadata.deletion_timestamp.is_some();
        let mut owned = Vec::new();
        for pod in self.active(uid(&set.metadata)) {
            if selected(&pod) {
                owned.push(pod);
            } else if !going {
                self.release(set, &pod).await?;
            }
        }
        let mut may_adopt = false;
        for pod in self.active(&orphans_of(namespace(&set.metadata))) {
            if going || !selected(&pod) {
                continue;
            }
            if !may_adopt {
                can_adopt(&self.client, &set.metadata, &self.kind).await?;
                may_adopt = true;
            }
            if self.adopt(set, &pod).await? {
                owned.push(pod);
            }
        }
        Ok(owned)
    }

    /// Returns the active pods of all ReplicaSets with the same controller, or of this ReplicaSet alone if it has no
    /// controller. Upstream: `getIndirectlyRelatedPods`.
    pub(super) fn related(&self, set: &ReplicaSet) -> Vec<Arc<SlimPod>> {
        let mut uids = vec![set.metadata.uid.clone().unwrap_or_default()];
        if let Some(controller) = controller_uid(set) {
            let sets = self.sets.namespace(namespace(&set.metadata)).list(&LabelSelector::everything());
            let siblings = sets.iter().filter(|other| controller_uid(other) == Some(controller));
            let others = siblings.filter(|sibling| sibling.metadata.uid != set.metadata.uid);
            uids.extend(others.filter_map(|other| other.metadata.uid.clone()));
        }
        uids.iter().flat_map(|uid| self.active(uid)).collect()
    }

    fn active(&self, owner: &str) -> Vec<Arc<SlimPod>> {
        self.by_owner.get(owner).iter().filter(|pod| pod.is_active()).cloned().collect()
    }

    /// Makes the ReplicaSet the controller of a pod. Returns true if the pod still existed.
    async fn adopt(&self, set: &ReplicaSet, pod: &SlimPod) -> Result<bool, SyncError> {
        let owner = json!([pods::owned_by(set, &self.kind)]);
        let adopted = self.change_owners(set, pod, owner).await.map_err(SyncError::refused("adopt a pod"))?;
        if adopted {
            self.observer.report(SyncEvent::Adopted { pod: pod.name() });
        }
        Ok(adopted)
    }

    async fn release(&self, set: &ReplicaSet, pod: &SlimPod) -> Result<(), SyncError> {
        let owner = json!([{"$patch": "delete", "uid": set.metadata.uid}]);
        if self.change_owners(set, pod, owner).await.map_err(SyncError::refused("release a pod"))? {
            self.observer.report(SyncEvent::Released { pod: pod.name() });
        }
        Ok(())
    }

    /// Patches the owner references of a pod. Returns true if the pod still existed.
    async fn change_owners(&self, set: &ReplicaSet, pod: &SlimPod, owners: Value) -> Result<bool, kube_client::Error> {
        let api = api(&self.client, &set.metadata, &ApiResource::erase::<Pod>(&()));
        let patch = Patch::Strategic(json!({"metadata": {"uid": pod.uid(), "ownerReferences": owners}}));
        match api.patch(pod.name(), &PatchParams::default(), &patch).await {
            Ok(_) => Ok(true),
            Err(error) if is_status(&error, 404) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn controller_uid(set: &ReplicaSet) -> Option<&str> {
    controller(&set.metadata).map(|owner| owner.uid.as_str())
}
