//! The ReplicaSet controller: creates and deletes pods until each ReplicaSet has as many as it asks for. Upstream:
//! `pkg/controller/replicaset`.
//!
//! Adoption and release of pods by the selector, slow start (pods are created in batches of growing size), expectations
//! (the controller waits until its cache has seen its own writes), the order of deletions and the status work as
//! upstream.

mod availability;
mod claim;
mod embedded;
mod handlers;
mod observer;
mod pods;
mod rank;
mod slim_replica_set;
mod spec;
mod status;
mod sync;

use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::api::ApiResource;
use kube_core::Resource;
use tokio_util::sync::CancellationToken;

use super::shared::drive::{WORKERS, drive};
pub use super::shared::error::{ControllerError, SyncError};
use super::shared::expectations::Expectations;
use super::shared::own_writes::OwnWrites;
use super::shared::recorder::{EventRecorder, EventSource};
use super::shared::slim_pod::SlimPod;
use crate::clock::Clock;
use availability::Availability;
pub(crate) use embedded::{run as run_embedded, run_when_needed};
use handlers::{PodHandler, ReplicaSetHandler};
use kube_informers::cache::{Done, Error, Index, InformerStopped, Lister, SharedIndexInformer, SharedInformerFactory};
use kube_informers::workqueue::{WorkEvent, WorkQueue};
use observer::Observer;
pub use observer::SyncEvent;
use slim_replica_set::SlimReplicaSet;

/// The index of pods by the uid of their ReplicaSet. Pods without a controller are indexed by their namespace.
const OWNER: &str = "owner";

pub(crate) const EVENT_SOURCE: EventSource =
    EventSource { component: "replicaset-controller", api_version: "apps/v1", kind: "ReplicaSet" };

/// The way in which a batch of pods is created or deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writes {
    /// Concurrently, as upstream.
    #[default]
    Together,
    /// One after the other, so that a reader can follow each step.
    OneByOne,
}

/// A predicate for the ReplicaSets that a controller handles.
type Ours = dyn Fn(&ReplicaSet) -> bool + Send + Sync;

/// Runs the controller for all ReplicaSets of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use kube_testcluster::{Cluster, Controllers, controllers::replica_set};
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().controllers(Controllers::Housekeeping).start();
/// let stop = CancellationToken::new();
/// let controller = tokio::spawn(replica_set::run(cluster.client("default"), stop.clone()));
/// // … kubectl create -f rs.yaml …
/// stop.cancel();
/// controller.await??;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// An informer failed, or the work on a ReplicaSet panicked.
pub async fn run(client: kube_client::Client, stop: CancellationToken) -> Result<(), ControllerError> {
    let factory = SharedInformerFactory::new(client.clone());
    let controller = Controller::new(client, &factory).expect("informers that have not started take any index");
    controller.with_events().run(&factory, &stop).await
}

/// The ReplicaSet controller: its informers, its queue and its options.
pub struct Controller {
    client: kube_client::Client,
    /// ReplicaSets, or ReplicationControllers.
    kind: ApiResource,
    /// The kind and the component in the Events.
    source: &'static EventSource,
    set_informer: SharedIndexInformer<SlimReplicaSet>,
    pod_informer: SharedIndexInformer<SlimPod>,
    sets: Lister<SlimReplicaSet>,
    by_owner: Index<SlimPod>,
    queue: WorkQueue<String>,
    /// The created and deleted pods that the cache has not seen yet.
    expectations: Expectations,
    /// The last status that the controller wrote for each ReplicaSet. The next sync waits until the cache has it.
    statuses: OwnWrites,
    clock: Clock,
    availability: Availability,
    ours: Box<Ours>,
    writes: Writes,
    /// `None` if no Events are written.
    recorder: Option<EventRecorder>,
    observer: Observer,
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("writes", &self.writes).finish_non_exhaustive()
    }
}

impl Controller {
    /// Creates a controller with the informers of a factory that has not been started. The controller handles every
    /// ReplicaSet that the factory sees.
    ///
    /// # Errors
    /// The factory's informer of slim pods has started, because another controller of this factory uses it.
    pub fn new(client: kube_client::Client, factory: &SharedInformerFactory) -> Result<Self, Error> {
        Self::of::<ReplicaSet>(client, factory, &EVENT_SOURCE)
    }

    /// Creates a controller of the kind `K`, which is ReplicaSet or ReplicationController.
    pub(crate) fn of<K>(
        client: kube_client::Client,
        factory: &SharedInformerFactory,
        source: &'static EventSource,
    ) -> Result<Self, Error>
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
    {
        let kind = ApiResource::erase::<K>(&());
        let (set_informer, pod_informer) =
            (factory.informer_as::<K, SlimReplicaSet>(), factory.informer_as::<Pod, SlimPod>());
        let of_pods = kind.clone();
        let by_owner = pod_informer.index(OWNER, move |pod| pods::owner_index(pod, &of_pods))?;
        Ok(Self {
            client,
            sets: Lister::new(set_informer.reader(), (&kind).into()),
            kind,
            source,
            by_owner,
            set_informer,
            pod_informer,
            queue: WorkQueue::new(),
            expectations: Expectations::default(),
            statuses: OwnWrites::default(),
            clock: Clock::starting_now(),
            availability: Availability::default(),
            ours: Box::new(|_| true),
            writes: Writes::default(),
            recorder: None,
            observer: Observer::default(),
        })
    }

    /// Handles only the ReplicaSets for which `ours` holds.
    #[must_use]
    pub fn only(mut self, ours: impl Fn(&ReplicaSet) -> bool + Send + Sync + 'static) -> Self {
        self.ours = Box::new(ours);
        self
    }

    /// Sets whether pods are created and deleted concurrently or one after the other.
    #[must_use]
    pub fn writes(mut self, writes: Writes) -> Self {
        self.writes = writes;
        self
    }

    /// Writes Events about the pods that it creates and deletes.
    #[must_use]
    pub fn with_events(mut self) -> Self {
        self.recorder = Some(EventRecorder::new(self.client.clone(), self.clock, self.source));
        self
    }

    /// Calls `observe` with each event of the controller's work.
    #[must_use]
    pub fn observer(mut self, observe: impl Fn(SyncEvent<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Observer::new(observe);
        self
    }

    /// Calls `observe` with each event of each key in the queue. Call this before [`listen`](Self::listen), because it
    /// replaces the queue.
    #[must_use]
    pub fn queue_observer(mut self, observe: impl FnMut(WorkEvent<'_, String>) + Send + 'static) -> Self {
        self.queue = WorkQueue::builder().observer(observe).build();
        self
    }

    /// Starts the factory and runs until `stop`. When it returns, the informers have ended, and no work is in progress.
    ///
    /// # Errors
    /// An informer of the factory failed, so the controller's cache is out of date; or the work on a ReplicaSet
    /// panicked. Either error stops both the factory and the workers.
    pub async fn run(self, factory: &SharedInformerFactory, stop: &CancellationToken) -> Result<(), ControllerError> {
        let controller = Arc::new(self);
        let filled = controller.listen().expect("informers that have not started take handlers");
        let stop = &stop.child_token();
        let workers = controller.queue.workers(WORKERS, async |set: String| controller.sync(&set).await);
        let workers = workers.on_error(|_, error| controller.observer.report(SyncEvent::Failed { error: &error }));
        let work = async {
            controller.observer.report(SyncEvent::Begins);
            workers.run(stop).await
        };
        drive(factory, &filled, stop, work).await
    }

    /// Adds the handlers, which put the keys of ReplicaSets into the queue. Each returned signal fires once its handler
    /// has seen the initial list. Do not work on any key before both have fired: with an incomplete cache, the
    /// controller would create pods that exist already.
    ///
    /// Only a program that runs the controller's parts itself needs this; all others call [`Controller::run`].
    ///
    /// # Errors
    /// An informer of the factory has stopped.
    pub fn listen(self: &Arc<Self>) -> Result<[Done; 2], InformerStopped> {
        let sets = self.set_informer.add_event_handler(ReplicaSetHandler(self.clone()))?;
        let pods = self.pod_informer.add_event_handler(PodHandler(self.clone()))?;
        Ok([sets.synced(), pods.synced()])
    }

    /// Returns the queue of the keys of ReplicaSets to work on.
    pub fn queue(&self) -> &WorkQueue<String> {
        &self.queue
    }
}
