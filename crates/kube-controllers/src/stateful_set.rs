//! The StatefulSet controller: gives each pod of a StatefulSet a number (its ordinal), and with it a stable name and
//! its own PersistentVolumeClaims ("claims"), which a replacement of the pod gets again. Upstream:
//! `pkg/controller/statefulset`.
//!
//! Ordered and parallel management, start ordinals, claims and their retention, rolling updates with a partition and
//! `maxUnavailable`, `OnDelete`, and revisions work as upstream.

mod claims;
mod identity;
mod replicas;
mod roll;
mod spec;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory,
};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::controller_ref_manager::ControllerRefManager;
use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::{DependentHandler, Enqueue, OwnKindHandler};
use super::shared::object::{name, owner_index};
use super::shared::own_writes::{OwnWrites, RETRY_DELAY};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::revisions::Revisions;
use crate::clock::Clock;
use kube_machinery::conventions::label_selector;
use sync::StatefulSetSync;

/// The index of pods by the uid of their StatefulSet.
const OWNER: &str = "owner";

/// The label of a revision that contains the hash of its template.
const HASH: &str = "controller.kubernetes.io/hash";

const EVENT_SOURCE: EventSource =
    EventSource { component: "statefulset-controller", api_version: "apps/v1", kind: "StatefulSet" };

/// Runs the controller for all StatefulSets of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already. In such a cluster the claims are never bound to volumes, and pods do not
/// wait for that.
///
/// # Errors
/// An informer failed, or the work on a StatefulSet panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_pods: ApiResource,
    kind_of_claims: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<Pod>,
    claim_informer: SharedIndexInformer<DynamicObject>,
    sets: Lister<DynamicObject>,
    claims: Lister<DynamicObject>,
    pods_by_owner: Index<Pod>,
    revisions: Revisions,
    queue: WorkQueue<String>,
    /// The last status that the controller wrote for each StatefulSet. The cache must have it before the next sync.
    statuses: OwnWrites,
    /// The last write of a pod for each StatefulSet. The cache must have it before the next sync.
    pod_writes: OwnWrites,
    /// The last write of a claim for each StatefulSet. The cache must have it before the next sync.
    claim_writes: OwnWrites,
    clock: Clock,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = StatefulSet;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<StatefulSet>(&());
        let kind_of_claims = ApiResource::erase::<PersistentVolumeClaim>(&());
        let (informer, claim_informer) = (factory.dynamic_informer(&kind), factory.dynamic_informer(&kind_of_claims));
        let pod_informer = factory.informer::<Pod>();
        Ok(Self {
            sets: Lister::new(informer.reader(), (&kind).into()),
            claims: Lister::new(claim_informer.reader(), (&kind_of_claims).into()),
            pods_by_owner: pod_informer.index(OWNER, |pod| owner_index(&pod.metadata))?,
            revisions: Revisions::new(client.clone(), kind.clone(), HASH, factory)?,
            kind,
            kind_of_pods: ApiResource::erase::<Pod>(&()),
            kind_of_claims,
            informer,
            pod_informer,
            claim_informer,
            queue: WorkQueue::new(),
            statuses: OwnWrites::default(),
            pod_writes: OwnWrites::default(),
            claim_writes: OwnWrites::default(),
            clock,
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let sets = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(DependentHandler(self.clone()))?;
        let (claims, revisions) = (self.claim_informer.synced(), self.revisions.informer.synced());
        Ok(vec![sets.synced(), pods.synced(), claims, revisions])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles one StatefulSet: creates, replaces and deletes its pods, and writes its status. Upstream: `sync`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        let has_caught_up = self.statuses.has_caught_up(key, &self.informer.reader()).await
            && self.pod_writes.has_caught_up(key, &self.pod_informer.reader()).await
            && self.claim_writes.has_caught_up(key, &self.claim_informer.reader()).await
            && self.revisions.has_caught_up(key).await;
        if !has_caught_up {
            self.queue.add_after(key.to_owned(), RETRY_DELAY);
            return Ok(());
        }
        let Ok(set) = self.sets.get(key) else { return Ok(()) };
        let selector = label_selector::read(&set.data["spec"]["selector"].clone().into())?;
        let manager = ControllerRefManager { client: &self.client, owner: &set, kind: &self.kind, selector: &selector };
        let is_member = |pod: &Pod| identity::ordinal(name(&set.metadata), name(&pod.metadata)).is_some();
        let pods = manager.claim(&self.pods_by_owner, &self.kind_of_pods, is_member).await?;
        let history = self.revisions.history(key, &set, &selector).await?;
        let sync = StatefulSetSync::new(self, key, set.clone(), pods, &history);
        let done = sync.advance().await;
        let written = sync.write_status().await; // also after a failure
        done.and(written)?;
        sync.clean_up(&history).await
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.sets
    }

    fn forget(&self, key: &str, _: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
        self.pod_writes.forget(key);
        self.claim_writes.forget(key);
        self.revisions.forget(key);
    }
}
