//! The run of a controller: its informers, then its workers.

use std::fmt::Debug;
use std::hash::Hash;

use kube_informers::cache::{Done, SharedInformerFactory, wait_for, with_causes};
use kube_informers::workqueue::{ReconcilePanicked, WorkQueue};
use tokio_util::sync::CancellationToken;

use super::error::{ControllerError, SyncError};

/// How many keys are processed at a time. The queue never hands out the same key twice at once.
pub(in crate::controllers) const WORKERS: usize = 2;

/// [Drives](drive) a controller whose work is one queue. `what` names an object of its kind in the log.
pub(in crate::controllers) async fn drive_queue<
    K: Clone + Debug + Eq + Hash,
    R: Future<Output = Result<(), SyncError>>,
>(
    factory: &SharedInformerFactory,
    filled: &[Done],
    stop: &CancellationToken,
    what: &'static str,
    queue: &WorkQueue<K>,
    sync: impl Fn(K) -> R,
) -> Result<(), ControllerError> {
    let workers = queue.workers(WORKERS, sync).on_error(|key: &K, error: SyncError| {
        tracing::debug!(?key, error = %with_causes(&error), "the work on {what} is tried again");
    });
    drive(factory, filled, stop, workers.run(stop)).await
}

/// Starts the factory, waits until the caches are filled, and works until `stop`, which it also fires when something fails.
/// The informers have ended when it returns.
pub(in crate::controllers) async fn drive(
    factory: &SharedInformerFactory,
    filled: &[Done],
    stop: &CancellationToken,
    work: impl Future<Output = Result<(), ReconcilePanicked>>,
) -> Result<(), ControllerError> {
    factory.start(stop);
    let mut worked = Ok(());
    // With a cache that is not filled yet, a worker would create what exists already.
    if wait_for(stop, filled).await {
        let failed = factory.failed();
        let end = async {
            tokio::select! {
                () = stop.cancelled() => {}
                _ = failed.wait() => stop.cancel(),
            }
        };
        let work = async {
            worked = work.await;
            stop.cancel();
        };
        futures::join!(end, work);
    }
    stop.cancel();
    factory.shutdown().await?;
    Ok(worked?)
}
