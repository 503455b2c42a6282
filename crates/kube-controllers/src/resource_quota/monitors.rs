//! The informers of the resources that quotas track, each started with the first quota that tracks it. Upstream:
//! `resource_quota_monitor.go`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_core::Resource;
use kube_informers::cache::{Done, ListWatch, Lister, SharedIndexInformer};
use kube_informers::workqueue::WorkQueue;
use kube_machinery::kinds::quota::Evaluator;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::discovery;
use super::handlers::{DefinitionHandler, ReplenishHandler};
use super::tracked::{CountedOnly, MayHaveFootprint, Tracked};
use crate::shared::error::SyncError;

/// The longest time that a sync waits for a new informer.
const MAX_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Monitors {
    client: Client,
    quotas: Lister<DynamicObject>,
    queue: Arc<WorkQueue<String>>,
    running: Mutex<HashMap<(String, String), Monitor>>,
    /// Set once the definitions of custom resources are watched.
    definitions: Once,
    stop: CancellationToken,
    /// Stops the informers together with the controller.
    _stops: DropGuard,
}

/// A running informer, and the kind of its objects.
#[derive(Clone)]
struct Monitor {
    kind: ApiResource,
    synced: Done,
    stop: CancellationToken,
}

impl Monitors {
    pub(super) fn new(client: Client, quotas: Lister<DynamicObject>, queue: Arc<WorkQueue<String>>) -> Self {
        let stop = CancellationToken::new();
        let (running, definitions) = (Mutex::default(), Once::new());
        Self { client, quotas, queue, running, definitions, _stops: stop.clone().drop_guard(), stop }
    }

    /// Returns the kind of a resource, and makes sure that its informer has begun. If an object is deleted after the
    /// caller has listed it, the informer then queues the quotas. Returns `None` for a resource that the server does
    /// not serve; its quotas are queued when a definition with its name is written.
    pub(super) async fn watched(
        &self,
        (group, plural): &(String, String),
        evaluator: &Evaluator,
    ) -> Result<Option<ApiResource>, SyncError> {
        let known = self.lock().get(&(group.clone(), plural.clone())).cloned();
        let monitor = match known {
            Some(monitor) => monitor,
            None => match self.find(group, plural).await? {
                Some(kind) => self.started(kind, evaluator),
                None => return Ok(None),
            },
        };
        match tokio::time::timeout(MAX_WAIT, monitor.synced.wait()).await {
            Ok(Ok(())) => Ok(Some(monitor.kind)),
            _ => Err(SyncError::NotWatched(plural.clone())),
        }
    }

    async fn find(&self, group: &str, plural: &str) -> Result<Option<ApiResource>, SyncError> {
        if let Some(kind) = discovery::kind_of(&self.client, group, plural).await? {
            return Ok(Some(kind));
        }
        self.definitions.call_once(|| self.watch_definitions());
        discovery::kind_of(&self.client, group, plural).await // a definition may have come before the watch
    }

    fn watch_definitions(&self) {
        let kind = ApiResource::erase::<CustomResourceDefinition>(&());
        let definitions = ListWatch::<DynamicObject>::all_with(self.client.clone(), &kind);
        let informer = SharedIndexInformer::new(definitions.metadata_only().read_as::<CountedOnly>());
        let (quotas, queue) = (self.quotas.clone(), self.queue.clone());
        // This cannot fail, because an informer that has not started takes handlers.
        let _ = informer.add_event_handler(DefinitionHandler { quotas, queue });
        tokio::spawn(informer.run(self.stop.clone()));
    }

    /// Stops the informer of a resource that the server no longer serves.
    pub(super) fn forget(&self, resource: &(String, String)) {
        if let Some(monitor) = self.lock().remove(resource) {
            monitor.stop.cancel();
        }
        self.definitions.call_once(|| self.watch_definitions());
    }

    /// Starts the informer of a kind, unless another sync has started it meanwhile.
    fn started(&self, kind: ApiResource, evaluator: &Evaluator) -> Monitor {
        let mut running = self.lock();
        let monitor = running.entry((kind.group.clone(), kind.plural.clone()));
        let start = || {
            let stop = self.stop.child_token();
            Monitor { synced: self.start(&kind, evaluator, stop.clone()), kind, stop }
        };
        monitor.or_insert_with(start).clone()
    }

    fn start(&self, kind: &ApiResource, evaluator: &Evaluator, stop: CancellationToken) -> Done {
        match evaluator {
            Evaluator::Pods => self.run(self.whole::<Pod>(), evaluator, stop),
            Evaluator::Services => self.run(self.whole::<Service>(), evaluator, stop),
            Evaluator::Claims => self.run(self.whole::<PersistentVolumeClaim>(), evaluator, stop),
            Evaluator::Objects(_) => {
                let objects = ListWatch::<DynamicObject>::all_with(self.client.clone(), kind);
                self.run(SharedIndexInformer::new(objects.metadata_only().read_as::<CountedOnly>()), evaluator, stop)
            }
        }
    }

    fn whole<K: Resource<DynamicType = ()> + 'static>(&self) -> SharedIndexInformer<Tracked<K>> {
        SharedIndexInformer::new(ListWatch::<K>::all(self.client.clone()).read_as())
    }

    fn run<T: MayHaveFootprint>(
        &self,
        informer: SharedIndexInformer<T>,
        evaluator: &Evaluator,
        stop: CancellationToken,
    ) -> Done {
        let (evaluator, quotas, queue) = (evaluator.clone(), self.quotas.clone(), self.queue.clone());
        // This cannot fail, because an informer that has not started takes handlers.
        let _ = informer.add_event_handler(ReplenishHandler { evaluator, quotas, queue });
        let synced = informer.synced();
        tokio::spawn(informer.run(stop));
        synced
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Monitor>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
