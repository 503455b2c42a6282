//! The order in which every workload controller starts and ends: start the informers, wait until their caches are
//! filled, run the workers until a stop or a failure, and stop the informers.

use kube_informers::cache::{Done, SharedInformerFactory, wait_for};
use kube_informers::workqueue::ReconcilePanicked;
use tokio_util::sync::CancellationToken;

use super::error::ControllerError;

/// The number of keys that are processed concurrently. The queue never hands out a key that is in progress.
pub(crate) const WORKERS: usize = 2;

/// Starts the factory, waits until the signals in `filled` say that the caches are filled, and then runs `work` until
/// `stop`. A failed informer, or failed work, also fires `stop`. The informers have ended when this returns.
pub(crate) async fn drive(
    factory: &SharedInformerFactory,
    filled: &[Done],
    stop: &CancellationToken,
    work: impl Future<Output = Result<(), ReconcilePanicked>>,
) -> Result<(), ControllerError> {
    factory.start(stop);
    let mut worked = Ok(());
    // With an incomplete cache, a worker would create objects that exist already.
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
