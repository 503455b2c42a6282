//! Done: something that happens once and can be waited for. Upstream: `DoneChecker` and `WaitFor` in `tools/cache/wait.go`.

use tokio_util::sync::CancellationToken;

/// What is waited for can no longer happen: whoever would have made it happen has stopped, or is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what is waited for can no longer happen")]
pub struct Never;

/// A signal that fires once and stays fired. Clones are the same signal.
#[derive(Clone, Debug, Default)]
pub struct Done(CancellationToken);

impl Done {
    /// Has it happened?
    pub fn is_done(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it happens, without polling. Returns at once if it already has.
    pub async fn wait(&self) {
        self.0.cancelled().await;
    }

    pub(crate) fn fire(&self) {
        self.0.cancel();
    }
}

/// Waits until all of `signals` have fired or `stop` is cancelled; says whether all have.
///
/// With no signals the answer is yes, even if already stopped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::cache::{Done, wait_for};
/// use tokio_util::sync::CancellationToken;
///
/// let stop = CancellationToken::new();
/// stop.cancel();
/// assert!(wait_for(&stop, &[]).await);
/// assert!(!wait_for(&stop, &[Done::default()]).await);
/// # }
/// ```
pub async fn wait_for(stop: &CancellationToken, signals: &[Done]) -> bool {
    for signal in signals {
        tokio::select! {
            biased;
            () = signal.wait() => {}
            () = stop.cancelled() => break,
        }
    }
    signals.iter().all(Done::is_done)
}
