//! The controller that protects PersistentVolumes ("volumes"): a bound volume stays until its claim is gone, because it
//! has the finalizer `kubernetes.io/pv-protection`, which only this controller removes. Upstream:
//! `pkg/controller/volume/pvprotection`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::PersistentVolume;
use kube_client::Api;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{
    Deletion, Done, Error, EventHandler, InformerStopped, InitialList, Lister, SharedIndexInformer,
    SharedInformerFactory, meta_namespace_key,
};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::finalizers::{self, is_deletion_candidate, needs_finalizer};
use super::shared::reconciler::{self, Reconciler};
use crate::clock::Clock;

/// The finalizer of a volume. Upstream: `PVProtectionFinalizer`.
const FINALIZER: &str = "kubernetes.io/pv-protection";

/// Runs the controller for all volumes of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Admission::Kube` runs it already, from the first volume on.
///
/// # Errors
/// An informer failed, or the work on a volume panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    api: Api<DynamicObject>,
    informer: SharedIndexInformer<DynamicObject>,
    volumes: Lister<DynamicObject>,
    queue: WorkQueue<String>,
}

impl Reconciler for Controller {
    type Kind = PersistentVolume;
    type Key = String;

    fn new(client: kube_client::Client, _: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind = ApiResource::erase::<PersistentVolume>(&());
        let informer = factory.dynamic_informer(&kind);
        let volumes = Lister::new(informer.reader(), (&kind).into());
        Ok(Self { api: Api::all_with(client, &kind), informer, volumes, queue: WorkQueue::new() })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        Ok(vec![self.informer.add_event_handler(VolumeHandler(self.clone()))?.synced()])
    }

    fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }

    /// Upstream: `processPV`.
    async fn sync(&self, key: &String) -> Result<(), SyncError> {
        let Ok(volume) = self.volumes.get(key) else { return Ok(()) };
        let is_used = volume.data["status"]["phase"] == "Bound";
        if is_deletion_candidate(&volume.metadata, FINALIZER) && !is_used {
            return finalizers::remove(&self.api, &volume.metadata, FINALIZER).await;
        }
        if needs_finalizer(&volume.metadata, FINALIZER) {
            return finalizers::add(&self.api, &volume.metadata, FINALIZER).await;
        }
        Ok(())
    }
}

/// Queues each volume that lacks the finalizer, or that is being deleted.
struct VolumeHandler(Arc<Controller>);

impl VolumeHandler {
    fn on_written(&self, volume: &DynamicObject) {
        let metadata = &volume.metadata;
        if needs_finalizer(metadata, FINALIZER) || is_deletion_candidate(metadata, FINALIZER) {
            self.0.queue.add(meta_namespace_key(volume));
        }
    }
}

impl EventHandler<DynamicObject> for VolumeHandler {
    fn on_add(&mut self, volume: Arc<DynamicObject>, _initial: InitialList) {
        self.on_written(&volume);
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.on_written(&new);
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}
