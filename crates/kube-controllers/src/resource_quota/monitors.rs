//! The informers of the resources that quotas track, each started with the first quota that tracks it. Upstream:
//! `resource_quota_monitor.go`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_core::Resource;
use kube_informers::cache::{Done, ListWatch, Lister, SharedIndexInformer};
use kube_informers::workqueue::WorkQueue;
use kube_machinery::kinds::quota::Evaluator;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::discovery;
use super::handlers::ReplenishHandler;
use super::tracked::{Counted, Footed, Tracked};
use crate::shared::error::SyncError;

/// The longest time that a sync waits for a new informer.
const MAX_WAIT: Duration = Duration::from_secs(10);

pub(super) struct Monitors {
    client: Client,
    quotas: Lister<DynamicObject>,
    queue: Arc<WorkQueue<String>>,
    running: Mutex<HashMap<(String, String), Monitor>>,
    stop: CancellationToken,
    /// Stops the informers together with the controller.
    _stops: DropGuard,
}

/// A running informer, and the kind of its objects.
#[derive(Clone)]
struct Monitor {
    kind: ApiResource,
    synced: Done,
}

impl Monitors {
    pub(super) fn new(client: Client, quotas: Lister<DynamicObject>, queue: Arc<WorkQueue<String>>) -> Self {
        let stop = CancellationToken::new();
        Self { client, quotas, queue, running: Mutex::default(), _stops: stop.clone().drop_guard(), stop }
    }

    /// Returns the kind of a resource, and makes sure that its informer has begun: a deletion that a list after this
    /// call does not show yet queues the quotas later. Returns `None` for a resource that the server does not serve.
    pub(super) async fn watched(
        &self,
        (group, plural): &(String, String),
        evaluator: &Evaluator,
    ) -> Result<Option<ApiResource>, SyncError> {
        let known = self.lock().get(&(group.clone(), plural.clone())).cloned();
        let monitor = match known {
            Some(monitor) => monitor,
            None => match discovery::kind_of(&self.client, group, plural).await? {
                Some(kind) => self.started(kind, evaluator),
                None => return Ok(None),
            },
        };
        match tokio::time::timeout(MAX_WAIT, monitor.synced.wait()).await {
            Ok(Ok(())) => Ok(Some(monitor.kind)),
            _ => Err(SyncError::NotWatched(plural.clone())),
        }
    }

    /// Starts the informer of a kind, unless another sync has started it meanwhile.
    fn started(&self, kind: ApiResource, evaluator: &Evaluator) -> Monitor {
        let mut running = self.lock();
        let monitor = running.entry((kind.group.clone(), kind.plural.clone()));
        monitor.or_insert_with(|| Monitor { synced: self.start(&kind, evaluator), kind }).clone()
    }

    fn start(&self, kind: &ApiResource, evaluator: &Evaluator) -> Done {
        match evaluator {
            Evaluator::Pods => self.run(self.whole::<Pod>(), evaluator),
            Evaluator::Services => self.run(self.whole::<Service>(), evaluator),
            Evaluator::Claims => self.run(self.whole::<PersistentVolumeClaim>(), evaluator),
            Evaluator::Objects(_) => {
                let objects = ListWatch::<DynamicObject>::all_with(self.client.clone(), kind);
                self.run(SharedIndexInformer::new(objects.metadata_only().read_as::<Counted>()), evaluator)
            }
        }
    }

    fn whole<K: Resource<DynamicType = ()> + 'static>(&self) -> SharedIndexInformer<Tracked<K>> {
        SharedIndexInformer::new(ListWatch::<K>::all(self.client.clone()).read_as())
    }

    fn run<T: Footed>(&self, informer: SharedIndexInformer<T>, evaluator: &Evaluator) -> Done {
        let (evaluator, quotas, queue) = (evaluator.clone(), self.quotas.clone(), self.queue.clone());
        // An informer that has not started takes handlers.
        let _ = informer.add_event_handler(ReplenishHandler { evaluator, quotas, queue });
        let synced = informer.synced();
        tokio::spawn(informer.run(self.stop.clone()));
        synced
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), Monitor>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
