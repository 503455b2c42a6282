//! The controller that protects PersistentVolumeClaims ("claims"): a claim in use stays until its last pod is gone,
//! because it has the finalizer `kubernetes.io/pvc-protection`, which only this controller removes. The condition
//! `Unused` of a bound claim says if a pod refers to it. Upstream: `pkg/controller/volume/pvcprotection`.

mod handlers;
mod sync;
mod unused;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::pod_claims::{PodClaims, claim_index};
use super::shared::reconciler::{self, Reconciler};
use crate::clock::Clock;
use handlers::{ClaimHandler, PodHandler};

/// The finalizer of a claim. Upstream: `PVCProtectionFinalizer`.
const FINALIZER: &str = "kubernetes.io/pvc-protection";

/// Runs the controller for all claims of a cluster until `stop`. A cluster of `kube-testcluster` with `Admission::Kube`
/// runs it already, from the first claim on.
///
/// # Errors
/// An informer failed, or the work on a claim panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<PodClaims>,
    claims: Lister<DynamicObject>,
    /// The pods by the keys of their claims.
    pods: Index<PodClaims>,
    queue: WorkQueue<String>,
    clock: Clock,
}

impl Reconciler for Controller {
    type Kind = PersistentVolumeClaim;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<PersistentVolumeClaim>(&());
        let (informer, pod_informer) = (factory.dynamic_informer(&kind), factory.informer_as::<Pod, PodClaims>());
        Ok(Self {
            claims: Lister::new(informer.reader(), (&kind).into()),
            pods: pod_informer.index("claim", claim_index)?,
            kind,
            kind_of_pods: ApiResource::erase::<Pod>(&()),
            informer,
            pod_informer,
            queue: WorkQueue::new(),
            clock,
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let claims = self.informer.add_event_handler(ClaimHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok(vec![claims.synced(), pods.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        self.sync_claim(key).await
    }
}
