//! Workers: so many keys at a time, each with back-off, until a stop. Upstream: what every controller writes around its queue,
//! and `Controller` in controller-runtime.

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

/// What is to come of a key whose work succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Nothing until it is added again. (`()` means the same.)
    #[default]
    AwaitChange,
    /// It is worked on again after this time, or when it is added before that.
    #[doc(alias = "requeue")]
    RequeueAfter(Duration),
}

impl From<()> for Action {
    fn from((): ()) -> Self {
        Self::AwaitChange
    }
}

/// What comes, after a stop, of keys that are queued and that no worker has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unstarted {
    /// They are left alone, so that the end takes no longer than the work under way. The next process begins with a list of all
    /// objects, and so with all keys.
    #[default]
    Leave,
    /// They are worked on, as in client-go and controller-runtime. Keys that are delayed are left alone all the same.
    Finish,
}

/// A panic in the work on a key.
#[derive(Debug, thiserror::Error)]
#[error("the work on {key} panicked: {}", .panic.message())]
#[non_exhaustive]
pub struct ReconcilePanicked {
    /// The key, in its `Debug` form.
    pub key: String,
    /// The panic, with what it said.
    pub panic: Panic,
}

/// Who is told of a key whose work failed: a function, or the log.
#[diagnostic::on_unimplemented(
    message = "an error of type `{E}` cannot be logged, for it is no `Error`",
    note = "let reconcile return an `Error`, or say with `Workers::on_error` what is to be done with this one"
)]
pub trait OnError<T, E> {
    /// The work on the key failed; it comes again. `retries` says how often it has failed before.
    fn failed(&self, key: &T, error: E, retries: usize);
}

/// Logs each failure as a warning, with all its causes.
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

/// Work on the keys of a queue, from [`WorkQueue::workers`].
#[must_use = "nothing is worked on until it runs"]
pub struct Workers<'a, T, F, O = LogErrors> {
    queue: &'a WorkQueue<T>,
    number: usize,
    reconcile: F,
    on_error: O,
    unstarted: Unstarted,
}

impl<T: Clone + Eq + Hash> WorkQueue<T> {
    /// Workers that take keys from this queue and call `reconcile` for each: `number` of them at a time (at least one), never
    /// one key twice.
    ///
    /// What `reconcile` returns says what comes of the key:
    ///
    /// - `Ok(())`: it succeeded. Its failures are [forgotten](WorkQueue::forget).
    /// - `Ok(`[`Action::RequeueAfter`]`)`: the same, and it comes again after that time.
    /// - `Err`: it comes again after the limiter's wait, longer each time. The error is [told](Workers::on_error).
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
    /// The compiler has to know the type of the error, also where none is ever returned: `Ok::<_, std::io::Error>(())`.
    ///
    /// A task that is spawned has to own what it uses. So the queue is in an [`Arc`](std::sync::Arc), `reconcile` owns what it calls
    /// (`async move`, and a clone of what other tasks use too), and an `async move` block around the call owns the queue:
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
    /// queue.add("default/web".to_owned()); // what a handler does, with a clone of its own
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
    /// Told of each failure, before the key is queued again. Unless one is given, the error is logged as a warning with all its
    /// causes.
    pub fn on_error<Tell: Fn(&T, E)>(self, tell: Tell) -> Workers<'a, T, F, Tell> {
        let Self { queue, number, reconcile, on_error: _, unstarted } = self;
        Workers { queue, number, reconcile, on_error: tell, unstarted }
    }

    /// What comes of queued keys after a stop.
    pub fn unstarted(mut self, unstarted: Unstarted) -> Self {
        self.unstarted = unstarted;
        self
    }

    /// Works until `stop`, or until somebody shuts the queue down and it is empty. When it returns, the queue is shut down and no
    /// work is under way: work that had begun was finished. Keys that had not begun are [left alone](Unstarted::Leave) unless
    /// told otherwise.
    ///
    /// All workers are one task, so what `reconcile` does between two awaits should be short. To use several processors, spawn
    /// what is long, or run workers of one queue in several tasks: no key is worked on twice at a time there either.
    ///
    /// If this future is dropped, the work under way is dropped with it. Its keys are given back and not queued again, and the
    /// queue stays open.
    ///
    /// # Errors
    /// [`ReconcilePanicked`] if the work on a key panicked. The other workers finish what they have begun, and nothing else.
    pub async fn run(self, stop: &CancellationToken) -> Result<(), ReconcilePanicked>
    where
        T: fmt::Debug,
        O: OnError<T, E>,
    {
        let ends = CancellationToken::new();
        let working = async {
            let ended = join_all((0..self.number.max(1)).map(|_| self.work(&ends))).await;
            ends.cancel();
            ended
        };
        let stopping = async {
            select! {
                biased;
                () = ends.cancelled() => {}
                () = stop.cancelled() => {
                    if self.unstarted == Unstarted::Leave {
                        ends.cancel();
                    }
                }
            }
            self.queue.shut_down();
        };
        let (ended, ()) = join!(working, stopping);
        ended.into_iter().collect()
    }

    /// Takes one key after the other.
    async fn work(&self, ends: &CancellationToken) -> Result<(), ReconcilePanicked>
    where
        T: fmt::Debug,
        O: OnError<T, E>,
    {
        while let Some(Some(key)) = ends.run_until_cancelled(self.queue.get()).await {
            match AssertUnwindSafe(async { (self.reconcile)((*key).clone()).await }).catch_unwind().await {
                Ok(Ok(action)) => self.succeeded(key, action.into()),
                Ok(Err(error)) => {
                    self.on_error.failed(&key, error, self.queue.retries(&key));
                    key.retry();
                }
                Err(panic) => {
                    ends.cancel();
                    return Err(ReconcilePanicked { key: format!("{:?}", *key), panic: Panic::new(panic) });
                }
            }
        }
        Ok(())
    }

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
