//! The run of a controller: its informers, then its workers.

use kube_informers::cache::{Done, SharedInformerFactory, wait_for};
use kube_informers::workqueue::ReconcilePanicked;
use tokio_util::sync::CancellationToken;

use super::error::ControllerError;

/// How many keys are processed at a time. The queue never hands out the same key twice at once.
pub(crate) const WORKERS: usize = 2;

/// Starts the factory, waits until the caches are filled, and works until `stop`, which it also fires when something fails.
/// The informers have ended when it returns.
pub(crate) async fn drive(
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
