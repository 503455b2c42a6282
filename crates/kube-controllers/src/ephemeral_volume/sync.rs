//! One sync of a pod. Upstream: `syncHandler`, `handleVolume`.

use kube_client::api::{DynamicObject, PostParams};
use kube_informers::cache::Object;
use serde_json::json;

use super::Controller;
use super::pod::{EphemeralPod, EphemeralVolume};
use crate::shared::error::SyncError;
use crate::shared::object::{api, controller, owned_by};
use crate::shared::recorder::Reason;
use crate::shared::volume::not_made_for;

impl Controller {
    pub(super) async fn sync_pod(&self, key: &str) -> Result<(), SyncError> {
        let Ok(pod) = self.pods.get(key) else { return Ok(()) };
        if pod.is_going {
            return Ok(());
        }
        for volume in &pod.volumes {
            if let Err(error) = self.handle_volume(&pod, volume).await {
                let message = format!("ephemeral volume {}: {}", volume.name, error.reason());
                if self.said.is_news(key, &message) {
                    self.recorder.warn(&pod.object_meta(), Reason::FailedBinding, message).await;
                }
                return Err(error);
            }
        }
        self.said.forget(key);
        Ok(())
    }

    /// Creates the claim of a volume, unless it exists.
    async fn handle_volume(&self, pod: &EphemeralPod, volume: &EphemeralVolume) -> Result<(), SyncError> {
        let (meta, name) = (pod.object_meta(), pod.claim_name(volume));
        let (namespace, pod_name) = (pod.meta().namespace, pod.meta().name);
        if let Ok(claim) = self.claims.get(&format!("{namespace}/{name}")) {
            let is_own = controller(&claim.metadata).is_some_and(|owner| owner.uid == pod.meta().uid);
            let not_owned = || SyncError::NotOwned(not_made_for(namespace, pod_name, &name));
            return is_own.then_some(()).ok_or_else(not_owned);
        }
        let template = &volume.template;
        let mut claim = DynamicObject::new(&name, &self.kind).data(json!({"spec": template["spec"]}));
        let part = |field: &str| serde_json::from_value(template["metadata"][field].clone()).unwrap_or_default();
        (claim.metadata.labels, claim.metadata.annotations) = (part("labels"), part("annotations"));
        claim.metadata.owner_references = serde_json::from_value(owned_by(&meta, &self.kind_of_pods)).ok();
        let created = api(&self.client, &meta, &self.kind).create(&PostParams::default(), &claim).await;
        created.map(drop).map_err(|error| SyncError::NotCreated { claim: name, source: error.into() })
    }
}
