//! Workers: the loop that every controller writes around its queue. Upstream: `Controller` in controller-runtime.

use std::fmt;
use std::hash::Hash;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use tokio::{join, select};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::item::Item;
use super::queue::WorkQueue;
use crate::cache::{BoxError, Panic, with_causes};

/// The next step for a key whose work succeeded (controller-runtime's `reconcile.Result`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Nothing until the key is added again. `()` means the same.
    #[default]
    AwaitChange,
    /// The key is queued again after this time, or earlier if it is added before that.
    #[doc(alias = "requeue")]
    RequeueAfter(Duration),
}

impl From<()> for Action {
    fn from((): ()) -> Self {
        Self::AwaitChange
    }
}

/// The treatment of queued keys that no worker has taken at a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unstarted {
    /// The keys are not processed. No change is lost, because the next process begins with a list of all objects, which
    /// adds all keys.
    #[default]
    Leave,
    /// The keys are processed, as in client-go and controller-runtime. Delayed keys are still dropped.
    Finish,
}

/// The error of a run in which the work on a key panicked.
#[derive(Debug, thiserror::Error)]
#[error("the work on {key} panicked: {}", .panic.message())]
#[non_exhaustive]
pub struct ReconcilePanicked {
    /// The key, in its `Debug` form.
    pub key: String,
    /// The panic, with its message.
    pub panic: Panic,
}

/// A handler of failed work: a function, or [`LogErrors`].
#[diagnostic::on_unimplemented(
    message = "an error of type `{E}` cannot be logged, because it does not implement `Error`",
    note = "return an `Error` from reconcile, or handle this type with `Workers::on_error`"
)]
pub trait OnError<T, E> {
    /// Handles a failure of the work on the key, which will be tried again. `retries` is the number of its earlier
    /// failures.
    fn failed(&self, key: &T, error: E, retries: usize);
}

/// The default handler of failed work. It logs each failure as a warning, with all its causes.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogErrors;

impl<T: fmt::Debug, E: Into<BoxError>> OnError<T, E> for LogErrors {
    fn failed(&self, key: &T, error: E, retries: usize) {
        let error: BoxError = error.into();
        warn!(?key, retries, error = %with_causes(&*error), "the work on a key failed");
    }
}

impl<T, E, F: Fn(&T, E)> OnError<T, E> for F {
    fn failed(&self, key: &T, error: E, _retries: usize) {
        self(key, error);
    }
}

/// Workers that process the keys of a queue. [`WorkQueue::workers`] makes them.
#[must_use = "workers do nothing until `run` is called"]
pub struct Workers<'a, T, F, O = LogErrors> {
    queue: &'a WorkQueue<T>,
    number: usize,
    reconcile: F,
    on_error: O,
    unstarted: Unstarted,
}

impl<T: Clone + Eq + Hash> WorkQueue<T> {
    /// Makes workers that take keys from this queue and call `reconcile` for each key, for up to `number` keys at a
    /// time (at least one). One key is never processed twice at the same time.
    ///
    /// The result of `reconcile` decides the next step for the key:
    ///
    /// - `Ok(())`: the work succeeded. The key's failures are [forgotten](WorkQueue::forget).
    /// - `Ok(`[`Action::RequeueAfter`]`)`: the same, and the key is queued again after that time.
    /// - `Err`: the work failed. The error goes to [`on_error`](Workers::on_error), and the key is queued again after
    ///   the rate limiter's wait, which grows with each failure.
    /// - A panic ends the [run](Workers::run).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use kube_informers::workqueue::{Action, WorkQueue};
    /// use tokio::time::Instant;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// let (queue, stop, start) = (WorkQueue::new(), CancellationToken::new(), Instant::now());
    /// queue.add("default/web".to_owned());
    /// let reconcile = async |key: String| {
    ///     println!("{:?} {key}", start.elapsed());
    ///     if start.elapsed() >= Duration::from_secs(1800) {
    ///         stop.cancel();
    ///     }
    ///     Ok::<_, std::io::Error>(Action::RequeueAfter(Duration::from_secs(600)))
    /// };
    /// queue.workers(4, reconcile).run(&stop).await?;
    /// assert_eq!(start.elapsed(), Duration::from_secs(1800)); // in virtual time
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The compiler needs the type of the error even if `reconcile` never returns one: `Ok::<_, std::io::Error>(())`.
    ///
    /// A spawned task must own everything that it uses: put the queue into an [`Arc`](std::sync::Arc), let `reconcile`
    /// own its captures (`async move`), and let an `async move` block around the call own the queue:
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::sync::Arc;
    /// use kube_informers::workqueue::WorkQueue;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// # async fn reconcile(_key: String) -> Result<(), std::io::Error> { Ok(()) }
    /// let (queue, stop) = (Arc::new(WorkQueue::new()), CancellationToken::new());
    /// let working = tokio::spawn({
    ///     let (queue, stop) = (queue.clone(), stop.clone());
    ///     async move { queue.workers(2, reconcile).run(&stop).await }
    /// });
    /// queue.add("default/web".to_owned()); // usually done by a handler, with its own clone of the queue
    /// # stop.cancel();
    /// working.await??;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "MaxConcurrentReconciles")]
    pub fn workers<F: Fn(T) -> R, R: Future>(&self, number: usize, reconcile: F) -> Workers<'_, T, F> {
        Workers { queue: self, number, reconcile, on_error: LogErrors, unstarted: Unstarted::default() }
    }
}

impl<'a, T: Clone + Eq + Hash, F, R, A, E, O> Workers<'a, T, F, O>
where
    F: Fn(T) -> R,
    R: Future<Output = Result<A, E>>,
    A: Into<Action>,
{
    /// Sets a function that gets each failure, before the key is queued again. The default is [`LogErrors`].
    pub fn on_error<Handler: Fn(&T, E)>(self, on_error: Handler) -> Workers<'a, T, F, Handler> {
        let Self { queue, number, reconcile, on_error: _, unstarted } = self;
        Workers { queue, number, reconcile, on_error, unstarted }
    }

    /// Sets whether queued keys are still processed after a stop.
    pub fn unstarted(mut self, unstarted: Unstarted) -> Self {
        self.unstarted = unstarted;
        self
    }

    /// Processes keys until `stop` is cancelled, or until the queue was shut down and is empty. When this returns, the
    /// queue is shut down and all work that had begun is finished. Queued keys are [not processed](Unstarted::Leave)
    /// unless set otherwise by [`unstarted`](Self::unstarted).
    ///
    /// All workers run in one task, so `reconcile` should not compute for long between two awaits. To use several
    /// processors, spawn long computations, or run workers of the same queue in several tasks.
    ///
    /// If this future is dropped, the work in progress is dropped, its keys are not queued again, and the queue stays
    /// open.
    ///
    /// # Errors
    /// [`ReconcilePanicked`] if the work on a key panicked. The other workers finish their current key and take no
    /// further keys.
    pub async fn run(self, stop: &CancellationToken) -> Result<(), ReconcilePanicked>
    where
        T: fmt::Debug,
        O: OnError<T, E>,
    {
        let ending = CancellationToken::new();
        let working = async {
            let ended = join_all((0..self.number.max(1)).map(|_| self.work(&ending))).await;
            ending.cancel();
            ended
        };
        let stopping = async {
            select! {
                biased;
                () = ending.cancelled() => {}
                () = stop.cancelled() => {
                    if self.unstarted == Unstarted::Leave {
                        ending.cancel();
                    }
                }
            }
            self.queue.shut_down();
        };
        let (ended, ()) = join!(working, stopping);
        ended.into_iter().collect()
    }

    /// Processes one key after another, until `ending` is cancelled or the queue ends.
    async fn work(&self, ending: &CancellationToken) -> Result<(), ReconcilePanicked>
    where
        T: fmt::Debug,
        O: OnError<T, E>,
    {
        while let Some(Some(key)) = ending.run_until_cancelled(self.queue.get()).await {
            match AssertUnwindSafe(async { (self.reconcile)((*key).clone()).await }).catch_unwind().await {
                Ok(Ok(action)) => self.succeeded(key, action.into()),
                Ok(Err(error)) => {
                    self.on_error.failed(&key, error, self.queue.retries(&key));
                    key.retry();
                }
                Err(panic) => {
                    ending.cancel();
                    return Err(ReconcilePanicked { key: format!("{:?}", *key), panic: Panic::new(panic) });
                }
            }
        }
        Ok(())
    }

    /// Ends the work on a key that succeeded, and does the next step.
    fn succeeded(&self, key: Item<'_, T>, action: Action) {
        self.queue.forget(&key);
        if let Action::RequeueAfter(delay) = action {
            key.retry_after(delay);
        }
    }
}

impl<T, F, O> fmt::Debug for Workers<'_, T, F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("queue", self.queue)
            .field("number", &self.number)
            .field("unstarted", &self.unstarted)
            .finish_non_exhaustive()
    }
}
