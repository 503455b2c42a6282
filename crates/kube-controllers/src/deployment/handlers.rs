//! The Deployment controller's handler of pods: queues a Deployment when one of its pods is gone. The strategy
//! `Recreate` waits for that, and the ReplicaSets do not report it, because they stop counting a pod when its deletion
//! begins.

use std::sync::Arc;

use kube_informers::cache::{Deletion, EventHandler};

use super::Controller;
use crate::shared::handlers::Enqueue;
use crate::shared::slim_pod::SlimPod;

/// Queues the Deployment that owns the ReplicaSet of a deleted pod.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl EventHandler<SlimPod> for PodHandler {
    fn on_delete(&mut self, deletion: Deletion<SlimPod>) {
        let Some(pod) = deletion.object() else { return };
        let Some(owner) = pod.controller().filter(|owner| owner.kind == "ReplicaSet") else { return };
        let sets = self.0.sets.namespace(pod.namespace());
        if let Ok(set) = sets.get(&owner.name)
            && set.metadata.uid.as_ref() == Some(&owner.uid)
        {
            self.0.enqueue_owner(&set.metadata);
        }
    }
}
