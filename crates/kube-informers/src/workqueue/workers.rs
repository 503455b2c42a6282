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

/// Who is told of a key whose work failed, and of the error.
type OnError<'a, T, E> = dyn Fn(&T, E) + Send + Sync + 'a;

/// Work on the keys of a queue, from [`WorkQueue::workers`].
#[must_use = "nothing is worked on until it runs"]
pub struct Workers<'a, T, F, E> {
    queue: &'a WorkQueue<T>,
    number: usize,
    reconcile: F,
    on_error: Box<OnError<'a, T, E>>,
    unstarted: Unstarted,
}

impl<T: Clone + Eq + Hash + Send + fmt::Debug> WorkQueue<T> {
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
    #[doc(alias = "MaxConcurrentReconciles")]
    pub fn workers<'a, F, R, A, E>(&'a self, number: usize, reconcile: F) -> Workers<'a, T, F, E>
    where
        F: Fn(T) -> R,
        R: Future<Output = Result<A, E>>,
        A: Into<Action>,
        E: Into<BoxError>,
    {
        let on_error = |key: &T, error: E| {
            let error: BoxError = error.into();
            warn!(?key, retries = self.retries(key), error = %with_causes(&*error), "the work on a key failed");
        };
        Workers { queue: self, number, reconcile, on_error: Box::new(on_error), unstarted: Unstarted::default() }
    }
}

impl<'a, T: Clone + Eq + Hash + fmt::Debug, F, R, A, E> Workers<'a, T, F, E>
where
    F: Fn(T) -> R,
    R: Future<Output = Result<A, E>>,
    A: Into<Action>,
{
    /// Told of each failure, before the key is queued again. Unless one is given, the error is logged as a warning with all its
    /// causes.
    pub fn on_error(mut self, tell: impl Fn(&T, E) + Send + Sync + 'a) -> Self {
        self.on_error = Box::new(tell);
        self
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
    pub async fn run(self, stop: &CancellationToken) -> Result<(), ReconcilePanicked> {
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
    async fn work(&self, ends: &CancellationToken) -> Result<(), ReconcilePanicked> {
        while let Some(Some(key)) = ends.run_until_cancelled(self.queue.get()).await {
            match AssertUnwindSafe(async { (self.reconcile)((*key).clone()).await }).catch_unwind().await {
                Ok(Ok(action)) => self.succeeded(key, action.into()),
                Ok(Err(error)) => {
                    (self.on_error)(&key, error);
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

impl<T, F, E> fmt::Debug for Workers<'_, T, F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("queue", self.queue)
            .field("number", &self.number)
            .field("unstarted", &self.unstarted)
            .finish_non_exhaustive()
    }
}
