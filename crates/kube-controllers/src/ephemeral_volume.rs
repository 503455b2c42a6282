//! The controller of ephemeral volumes: creates the claim of each volume of the type `ephemeral` that a pod has. The
//! pod owns the claim, so the garbage collector deletes it with the pod. Upstream: `pkg/controller/volume/ephemeral`.

mod handlers;
mod pod;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::said::Said;
use crate::clock::Clock;
use handlers::{ClaimHandler, PodHandler};
use pod::{EphemeralPod, claim_index, has_ephemeral_volume};

const EVENT_SOURCE: EventSource = EventSource { component: "ephemeral_volume", api_version: "v1", kind: "Pod" };

/// Runs the controller for all pods of a cluster until `stop`. A cluster of `kube-testcluster` with `Controllers::All`
/// runs it already, from the first pod with an ephemeral volume on.
///
/// # Errors
/// An informer failed, or the work on a pod panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    pod_informer: SharedIndexInformer<EphemeralPod>,
    claim_informer: SharedIndexInformer<DynamicObject>,
    pods: Lister<EphemeralPod>,
    /// The pods by the keys of the claims that are made for them.
    pods_by_claim: Index<EphemeralPod>,
    claims: Lister<DynamicObject>,
    queue: WorkQueue<String>,
    recorder: EventRecorder,
    said: Said,
}

impl Reconciler for Controller {
    type Kind = Pod;
    type Key = String;

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<PersistentVolumeClaim>(&());
        let kind_of_pods = ApiResource::erase::<Pod>(&());
        let claim_informer = factory.dynamic_informer(&kind);
        let pod_informer = factory.informer_as::<Pod, EphemeralPod>();
        Ok(Self {
            claims: Lister::new(claim_informer.reader(), (&kind).into()),
            pods: Lister::new(pod_informer.reader(), (&kind_of_pods).into()),
            pods_by_claim: pod_informer.index("claim", claim_index)?,
            kind,
            kind_of_pods,
            claim_informer,
            pod_informer,
            queue: WorkQueue::new(),
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            said: Said::default(),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        let claims = self.claim_informer.add_event_handler(ClaimHandler(self.clone()))?;
        Ok(vec![pods.synced(), claims.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        self.sync_pod(key).await
    }

    fn is_needed_by(pod: &DynamicObject) -> bool {
        has_ephemeral_volume(pod)
    }
}
