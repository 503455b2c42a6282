//! A one-shot signal, by which informers tell when they have synced. Unlike a plain notification, it also ends (as
//! `Never`) when it can no longer fire, so no task waits for ever. Upstream: `DoneChecker` and `WaitFor` in
//! `tools/cache/wait.go`.

use std::fmt;
use std::future::IntoFuture;

use futures::future::{BoxFuture, FutureExt, try_join_all};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The error of a [`Done`] that can no longer fire, because the part that would fire it has stopped or was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the awaited signal can no longer fire")]
pub struct Never;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The signal may still fire.
    Open,
    Fired,
    /// The signal can no longer fire.
    Never,
}

/// A signal that either fires once and stays fired, or ends as [`Never`]. Clones share the same signal. It can be
/// awaited: `registration.synced().await?`.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::cache::{DoneSender, Never};
///
/// let sender = DoneSender::new();
/// let done = sender.done();
/// sender.fire();
/// assert_eq!(done.await, Ok(()));
///
/// let forgotten = DoneSender::new().done();
/// assert_eq!(forgotten.await, Err(Never));
/// # }
/// ```
#[derive(Clone)]
pub struct Done(watch::Receiver<Outcome>);

impl Done {
    /// Returns true if the signal has fired.
    pub fn is_done(&self) -> bool {
        *self.0.borrow() == Outcome::Fired
    }

    /// Returns true if the signal can no longer fire.
    pub fn is_never(&self) -> bool {
        *self.0.borrow() == Outcome::Never
    }

    /// Waits until the signal fires, without polling in intervals. Returns at once if it already has.
    ///
    /// # Errors
    /// [`Never`] as soon as the signal can no longer fire.
    pub async fn wait(&self) -> Result<(), Never> {
        let mut receiver = self.0.clone();
        let outcome = receiver.wait_for(|outcome| *outcome != Outcome::Open).await;
        match outcome.as_deref() {
            Ok(Outcome::Fired) => Ok(()),
            Ok(Outcome::Open | Outcome::Never) | Err(_) => Err(Never),
        }
    }
}

impl fmt::Debug for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Done").field(&*self.0.borrow()).finish()
    }
}

impl IntoFuture for Done {
    type Output = Result<(), Never>;
    type IntoFuture = BoxFuture<'static, Result<(), Never>>;

    fn into_future(self) -> Self::IntoFuture {
        async move { self.wait().await }.boxed()
    }
}

/// The sending side of a [`Done`]. If it is dropped before it has fired, waiters get [`Never`].
pub struct DoneSender(watch::Sender<Outcome>);

impl DoneSender {
    /// Makes a signal that has not fired.
    pub fn new() -> Self {
        Self(watch::Sender::new(Outcome::Open))
    }

    /// Returns the waiting side.
    pub fn done(&self) -> Done {
        Done(self.0.subscribe())
    }

    /// Fires the signal. The first call of [`fire`](Self::fire) or [`give_up`](Self::give_up) decides.
    pub fn fire(&self) {
        self.decide(Outcome::Fired);
    }

    /// Ends the signal as [`Never`], unless it has fired.
    pub fn give_up(&self) {
        self.decide(Outcome::Never);
    }

    /// Returns true if the signal has fired.
    pub fn has_fired(&self) -> bool {
        *self.0.borrow() == Outcome::Fired
    }

    fn decide(&self, decided: Outcome) {
        self.0.send_if_modified(|outcome| {
            let is_first = *outcome == Outcome::Open;
            if is_first {
                *outcome = decided;
            }
            is_first
        });
    }
}

impl Default for DoneSender {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for DoneSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DoneSender").field(&*self.0.borrow()).finish()
    }
}

impl Drop for DoneSender {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// Waits until all of `signals` have fired, one of them can no longer fire, or `stop` is cancelled. Returns true if all
/// have fired, even if `stop` is cancelled (client-go's `WaitFor`).
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::cache::{DoneSender, wait_for};
/// use tokio_util::sync::CancellationToken;
///
/// let stop = CancellationToken::new();
/// let forgotten = DoneSender::new().done();
/// assert!(!wait_for(&stop, &[forgotten]).await, "its `DoneSender` was dropped");
/// stop.cancel();
/// let sender = DoneSender::new();
/// assert!(!wait_for(&stop, &[sender.done()]).await);
/// assert!(wait_for(&stop, &[]).await);
/// # }
/// ```
pub async fn wait_for(stop: &CancellationToken, signals: &[Done]) -> bool {
    stop.run_until_cancelled(try_join_all(signals.iter().map(Done::wait))).await;
    signals.iter().all(Done::is_done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_whose_sender_was_dropped_is_never() {
        let sender = DoneSender::new();
        let (done, clone) = (sender.done(), sender.done());
        assert!(!done.is_done() && !done.is_never());
        let (waited, ()) = tokio::join!(done.wait(), async { drop(sender) });
        assert_eq!(waited, Err(Never));
        assert!(clone.is_never() && !clone.is_done());
    }

    #[tokio::test]
    async fn the_first_decision_stays() {
        let sender = DoneSender::new();
        let done = sender.done();
        sender.fire();
        sender.give_up();
        drop(sender);
        assert_eq!(done.await, Ok(()));
    }

    #[tokio::test]
    async fn waiting_for_several_signals_ends_as_soon_as_one_of_them_is_never() {
        let (fired, open, gone) = (DoneSender::new(), DoneSender::new(), DoneSender::new().done());
        fired.fire();
        assert!(!wait_for(&CancellationToken::new(), &[fired.done(), gone, open.done()]).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_never_signal_ends_the_wait_at_any_position_of_the_slice() {
        let (open, never) = (DoneSender::new(), DoneSender::new().done());
        for signals in [[open.done(), never.clone()], [never, open.done()]] {
            let stop = CancellationToken::new();
            let waited = tokio::time::timeout(std::time::Duration::from_secs(1), wait_for(&stop, &signals)).await;
            assert_eq!(waited, Ok(false));
        }
    }
}
