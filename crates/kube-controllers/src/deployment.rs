//! The Deployment controller. It creates one ReplicaSet for each pod template that a Deployment has had. After a change
//! of the template it scales the new ReplicaSet up and the old ones down, which replaces the pods. Upstream:
//! `pkg/controller/deployment`.
//!
//! Rolling updates within `maxSurge` and `maxUnavailable`, `Recreate`, revisions, proportional scaling, pauses, the
//! progress deadline and the history of old ReplicaSets work as upstream.

mod claim;
mod cleanup;
mod handlers;
mod progress;
mod recreate;
mod replica_sets;
mod revision;
mod rolling;
mod scale;
mod spec;
mod status;
mod sync;

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory,
};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::handlers::{DependentHandler, Enqueue, OwnKindHandler};
use super::shared::object::owner_index;
use super::shared::own_writes::OwnWrites;
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::slim_pod::SlimPod;
use crate::clock::Clock;
use handlers::PodHandler;
use sync::DeploymentSync;

/// The index of ReplicaSets by the uid of their Deployment, and of pods by the uid of their ReplicaSet.
const OWNER: &str = "owner";

const EVENT_SOURCE: EventSource =
    EventSource { component: "deployment-controller", api_version: "apps/v1", kind: "Deployment" };

/// Runs the controller for all Deployments of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already. The ReplicaSets that it creates need a [ReplicaSet
/// controller](crate::replica_set).
///
/// # Errors
/// An informer failed, or the work on a Deployment panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: kube_client::Client,
    kind: ApiResource,
    kind_of_sets: ApiResource,
    informer: SharedIndexInformer<DynamicObject>,
    set_informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<SlimPod>,
    deployments: Lister<DynamicObject>,
    sets: Lister<DynamicObject>,
    sets_by_owner: Index<DynamicObject>,
    pods_by_owner: Index<SlimPod>,
    queue: WorkQueue<String>,
    /// The last status that the controller wrote for each Deployment. The next sync waits until the cache has it, for a
    /// second at most.
    statuses: OwnWrites,
    /// The last write of a ReplicaSet for each Deployment. The next sync waits for it in the same way.
    set_writes: OwnWrites,
    clock: Clock,
    recorder: EventRecorder,
}

impl Reconciler for Controller {
    type Kind = Deployment;
    type Key = String;

    fn new(client: kube_client::Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let (kind, kind_of_sets) = (ApiResource::erase::<Deployment>(&()), ApiResource::erase::<ReplicaSet>(&()));
        let (informer, set_informer) = (factory.dynamic_informer(&kind), factory.dynamic_informer(&kind_of_sets));
        let pod_informer = factory.informer_as::<Pod, SlimPod>();
        Ok(Self {
            deployments: Lister::new(informer.reader(), (&kind).into()),
            sets: Lister::new(set_informer.reader(), (&kind_of_sets).into()),
            sets_by_owner: set_informer.index(OWNER, |set| owner_index(&set.metadata))?,
            pods_by_owner: pod_informer
                .index(OWNER, |pod| pod.controller().map(|owner| &owner.uid).into_iter().collect())?,
            kind,
            kind_of_sets,
            informer,
            set_informer,
            pod_informer,
            queue: WorkQueue::new(),
            statuses: OwnWrites::default(),
            set_writes: OwnWrites::default(),
            clock,
            recorder: EventRecorder::new(client.clone(), clock, &EVENT_SOURCE),
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let deployments = self.informer.add_event_handler(OwnKindHandler(self.clone()))?;
        let sets = self.set_informer.add_event_handler(DependentHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok(vec![deployments.synced(), sets.synced(), pods.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Reconciles one Deployment: does one step of its rollout, and writes its status. Upstream: `syncDeployment`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        self.statuses.wait_for(key, &self.informer.reader()).await;
        self.set_writes.wait_for(key, &self.set_informer.reader()).await;
        let Ok(deployment) = self.deployments.get(key) else { return Ok(()) };
        let sets = self.claim(&deployment).await?;
        let mut sync = DeploymentSync::new(self, key, deployment, sets);
        let done = sync.advance().await;
        let written = sync.write_status().await; // also after a failure
        done.and(written)
    }
}

impl Enqueue for Controller {
    fn objects(&self) -> &Lister<DynamicObject> {
        &self.deployments
    }

    fn forget(&self, key: &str, _: &Deletion<DynamicObject>) {
        self.statuses.forget(key);
        self.set_writes.forget(key);
    }
}
