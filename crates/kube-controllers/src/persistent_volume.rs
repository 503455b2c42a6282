//! The persistent volume controller, also called binder: binds PersistentVolumeClaims ("claims") to PersistentVolumes
//! ("volumes"), makes volumes for the claims of storage classes, and releases or deletes the volumes of deleted claims.
//! Upstream: `pkg/controller/volume/persistentvolume`.
//!
//! The provisioners are simulated: a volume is only an object. A claim of a storage class gets a new one if no other
//! volume fits, unless the provisioner of the class is `kubernetes.io/no-provisioner`. A claim of a class with the mode
//! `WaitForFirstConsumer` gets its volume when the scheduler has selected a node for the claim's first pod. A claim that
//! grows gets a larger volume. Upstream's controller tries again every 15 seconds, and counts its Events; this one tries
//! again when an object that may help is written, and writes an Event when its text changes.

mod bind;
mod class;
mod expand;
mod find_match;
mod handlers;
mod provision;
mod reclaim;
mod status;
mod sync_claim;
mod sync_volume;

use std::sync::Arc;

use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim, Pod};
use k8s_openapi::api::storage::v1::StorageClass;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::shared::error::{ControllerError, SyncError};
use super::shared::own_writes::OwnWrites;
use super::shared::pod_claims::{PodClaims, claim_index};
use super::shared::reconciler::{self, Reconciler};
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::said::Said;
use crate::clock::Clock;
use handlers::{ClaimHandler, ClassHandler, PodHandler, VolumeHandler};

/// The component in the Events.
const COMPONENT: &str = "persistentvolume-controller";

const ABOUT_CLAIMS: EventSource =
    EventSource { component: COMPONENT, api_version: "v1", kind: "PersistentVolumeClaim" };

const ABOUT_VOLUMES: EventSource = EventSource { component: COMPONENT, api_version: "v1", kind: "PersistentVolume" };

const ABOUT_SIZES: EventSource =
    EventSource { component: "external-resizer", api_version: "v1", kind: "PersistentVolumeClaim" };

/// Runs the controller for all claims and volumes of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first claim or volume on.
///
/// # Errors
/// An informer failed, or the work on an object panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller>(client, stop).await
}

pub(super) struct Controller {
    client: Client,
    kind_of_claims: ApiResource,
    kind_of_volumes: ApiResource,
    claim_informer: SharedIndexInformer<DynamicObject>,
    volume_informer: SharedIndexInformer<DynamicObject>,
    class_informer: SharedIndexInformer<DynamicObject>,
    pod_informer: SharedIndexInformer<PodClaims>,
    claims: Lister<DynamicObject>,
    volumes: Lister<DynamicObject>,
    classes: Lister<DynamicObject>,
    /// The pods by the keys of their claims.
    pods: Index<PodClaims>,
    queue: WorkQueue<Key>,
    /// The last writes of claims and of volumes, by key. The next sync waits until the caches have them.
    claim_writes: OwnWrites,
    volume_writes: OwnWrites,
    said: Said,
    claim_recorder: EventRecorder,
    volume_recorder: EventRecorder,
    /// Writes the Events of the simulated resizer.
    resizer: EventRecorder,
    clock: Clock,
}

/// An item of the work queue: the key of the object to sync.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Claim(String),
    Volume(String),
}

impl Reconciler for Controller {
    type Kind = PersistentVolumeClaim;
    type Key = Key;

    fn other_kind() -> Option<ApiResource> {
        Some(ApiResource::erase::<PersistentVolume>(&()))
    }

    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error> {
        let kind_of_claims = ApiResource::erase::<PersistentVolumeClaim>(&());
        let kind_of_volumes = ApiResource::erase::<PersistentVolume>(&());
        let kind_of_classes = ApiResource::erase::<StorageClass>(&());
        let [claim_informer, volume_informer, class_informer] =
            [&kind_of_claims, &kind_of_volumes, &kind_of_classes].map(|kind| factory.dynamic_informer(kind));
        let pod_informer = factory.informer_as::<Pod, PodClaims>();
        Ok(Self {
            claims: Lister::new(claim_informer.reader(), (&kind_of_claims).into()),
            volumes: Lister::new(volume_informer.reader(), (&kind_of_volumes).into()),
            classes: Lister::new(class_informer.reader(), (&kind_of_classes).into()),
            pods: pod_informer.index("claim", claim_index)?,
            kind_of_claims,
            kind_of_volumes,
            claim_informer,
            volume_informer,
            class_informer,
            pod_informer,
            queue: WorkQueue::new(),
            claim_writes: OwnWrites::default(),
            volume_writes: OwnWrites::default(),
            said: Said::default(),
            claim_recorder: EventRecorder::new(client.clone(), clock, &ABOUT_CLAIMS),
            volume_recorder: EventRecorder::new(client.clone(), clock, &ABOUT_VOLUMES),
            resizer: EventRecorder::new(client.clone(), clock, &ABOUT_SIZES),
            clock,
            client,
        })
    }

    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped> {
        let claims = self.claim_informer.add_event_handler(ClaimHandler(self.clone()))?;
        let volumes = self.volume_informer.add_event_handler(VolumeHandler(self.clone()))?;
        let classes = self.class_informer.add_event_handler(ClassHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok(vec![claims.synced(), volumes.synced(), classes.synced(), pods.synced()])
    }

    fn queue(&self) -> &WorkQueue<Key> {
        &self.queue
    }

    async fn sync(&self, key: &Key) -> Result<(), SyncError> {
        match key {
            Key::Claim(key) => self.sync_claim(key).await,
            Key::Volume(name) => self.sync_volume(name).await,
        }
    }
}
