//! The interface of a controller, and the loop that runs it: handlers fill its work queue with keys, and
//! workers sync the object of each key. Only the ReplicaSet controller has a loop of its own, because tests and lessons
//! control it step by step.

use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_core::Resource;
use kube_informers::cache::{Done, Error, InformerStopped, SharedInformerFactory, with_causes};
use kube_informers::workqueue::WorkQueue;
use tokio_util::sync::CancellationToken;

use super::drive::{WORKERS, drive};
use super::error::{ControllerError, SyncError};
use super::when_needed;
use crate::clock::Clock;

/// A controller: its informers, and the work queue that their handlers fill.
pub(crate) trait Reconciler: Sized + Send + Sync + 'static {
    type Kind: Resource<DynamicType = ()>;
    type Key: Clone + Debug + Eq + Hash + Send + Sync;

    /// Returns another kind whose objects the controller works on, if there is one. [`run_when_needed`] starts the
    /// controller with the first object of either kind.
    fn other_kind() -> Option<ApiResource> {
        None
    }

    /// Creates a controller with the informers of a factory that has not been started.
    fn new(client: Client, clock: Clock, factory: &SharedInformerFactory) -> Result<Self, Error>;

    /// Adds the event handlers. The returned signals fire when the caches are filled. With an incomplete cache, a
    /// worker would create objects that exist already.
    fn listen(self: &Arc<Self>) -> Result<Vec<Done>, InformerStopped>;

    fn queue(&self) -> &WorkQueue<Self::Key>;

    /// Reconciles one object: compares the wanted state with the cached state, and writes the difference.
    fn sync(&self, key: &Self::Key) -> impl Future<Output = Result<(), SyncError>> + Send;

    /// Returns true if the controller works on this object of its kind, so [`run_when_needed`] must start it.
    fn is_needed_by(_: &DynamicObject) -> bool {
        true
    }
}

/// Runs a controller with the clock of the system until `stop`.
pub(crate) async fn run<C: Reconciler>(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    run_with::<C>(client, Clock::starting_now(), &stop).await
}

/// Runs a controller with its cluster's clock, once there is an object that it works on.
pub(crate) async fn run_when_needed<C: Reconciler>(client: Client, clock: Clock, stop: CancellationToken) {
    let kinds: Vec<_> = [ApiResource::erase::<C::Kind>(&())].into_iter().chain(C::other_kind()).collect();
    let run = || run_with::<C>(client.clone(), clock, &stop);
    when_needed::run_when_needed_by(&client, &kinds, C::is_needed_by, &stop, run).await;
}

async fn run_with<C: Reconciler>(
    client: Client,
    clock: Clock,
    stop: &CancellationToken,
) -> Result<(), ControllerError> {
    let factory = SharedInformerFactory::new(client.clone());
    let controller = C::new(client, clock, &factory).expect("informers that have not started take any index");
    run_controller(controller, &factory, stop).await
}

/// Runs a controller that was made with the informers of this factory.
pub(crate) async fn run_controller<C: Reconciler>(
    controller: C,
    factory: &SharedInformerFactory,
    stop: &CancellationToken,
) -> Result<(), ControllerError> {
    let controller = Arc::new(controller);
    let filled = controller.listen().expect("informers that have not started take handlers");
    let stop = stop.child_token();
    let sync = async |key: C::Key| controller.sync(&key).await;
    let workers = controller.queue().workers(WORKERS, sync).on_error(|key: &C::Key, error: SyncError| {
        let kind = C::Kind::kind(&());
        tracing::debug!(%kind, ?key, error = %with_causes(&error), "a sync failed, and is tried again");
    });
    drive(factory, &filled, &stop, workers.run(&stop)).await
}
