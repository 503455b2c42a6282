//! Decides which pods belong to a ReplicaSet: adopts pods that its selector matches and that have no controller, and
//! releases pods that it no longer matches. It differs from `shared/claims.rs` in that it reports each step to the
//! observer. Upstream: `PodControllerRefManager` in `pkg/controller/controller_ref_manager.go`.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::observer::SyncEvent;
use super::sync::{is_status, name};
use super::{Controller, pods, spec};
use crate::shared::error::SyncError;
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
        for pod in self.active(set.metadata.uid.as_deref().unwrap_or_default()) {
            if selected(&pod) {
                owned.push(pod);
            } else if !going {
                self.release(set, &pod).await?;
            }
        }
        let mut may_adopt = false;
        for pod in self.active(&pods::orphans_of(name(set.metadata.namespace.as_ref()))) {
            if going || !selected(&pod) {
                continue;
            }
            if !may_adopt {
                self.check_alive(set).await?;
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
            let sets = self.sets.namespace(name(set.metadata.namespace.as_ref())).list(&LabelSelector::everything());
            let siblings = sets.iter().filter(|other| controller_uid(other) == Some(controller));
            let others = siblings.filter(|sibling| sibling.metadata.uid != set.metadata.uid);
            uids.extend(others.filter_map(|other| other.metadata.uid.clone()));
        }
        uids.iter().flat_map(|uid| self.active(uid)).collect()
    }

    fn active(&self, owner: &str) -> Vec<Arc<SlimPod>> {
        self.by_owner.get(owner).iter().filter(|pod| pod.is_active()).cloned().collect()
    }

    /// Asks the API server whether the ReplicaSet still exists, because the cache may be stale, and a deleted
    /// ReplicaSet must not adopt pods.
    async fn check_alive(&self, set: &ReplicaSet) -> Result<(), SyncError> {
        let api = self.api::<ReplicaSet>(set);
        let set_name = name(set.metadata.name.as_ref());
        let fresh = api.get(set_name).await.map_err(SyncError::refused(format!("look at {set_name} again")))?;
        if fresh.metadata.uid != set.metadata.uid || fresh.metadata.deletion_timestamp.is_some() {
            return Err(SyncError::Gone(set_name.to_owned()));
        }
        Ok(())
    }

    /// Makes the ReplicaSet the controller of a pod. Returns true if the pod still existed.
    async fn adopt(&self, set: &ReplicaSet, pod: &SlimPod) -> Result<bool, SyncError> {
        let owner = json!([pods::owned_by(set)]);
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
        let api: Api<_> = self.api::<Pod>(set);
        let patch = Patch::Strategic(json!({"metadata": {"uid": pod.uid(), "ownerReferences": owners}}));
        match api.patch(pod.name(), &PatchParams::default(), &patch).await {
            Ok(_) => Ok(true),
            Err(error) if is_status(&error, 404) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn controller_uid(set: &ReplicaSet) -> Option<&str> {
    let mut owners = set.metadata.owner_references.iter().flatten();
    owners.find(|owner| owner.controller == Some(true)).map(|owner| owner.uid.as_str())
}
