//! WorkQueue: a queue of keys that gives each key to only one worker at a time. Upstream: `Typed`, `DelayingInterface`
//! and `RateLimitingInterface` in `util/workqueue`.

use std::fmt;
use std::hash::Hash;
use std::pin::pin;
use std::time::Duration;

use tokio::task::coop::consume_budget;
use tokio::time::Instant;

use super::access::{Access, Signals};
use super::builder::WorkQueueBuilder;
use super::getter::Getter;
use super::item::Item;
use super::limiter::RateLimiter;
use super::metrics::Unfinished;
use super::observe::DelayReason;
use super::state::{QueueState, TakeResult};
use crate::lock::{Mutex, lock};

/// A queue of keys to work on (client-go's `TypedRateLimitingInterface`, which includes the delaying queue).
///
/// - A key is queued at most once, however often it is [added](Self::add) before a worker takes it.
/// - Only one worker at a time has a key. If a key is added while a worker has it, it is queued again when that worker
///   is done, so no change is missed.
/// - Workers get keys in the order of their addition, unless the queue was built with another
///   [order](WorkQueueBuilder::order).
/// - A key can be added [later](Self::add_after), or after a wait that grows with each failure
///   ([`add_rate_limited`](Self::add_rate_limited)).
/// - After [`shut_down`](Self::shut_down), no key can be added, and workers still get the queued keys.
///
/// Share a queue by reference or in an `Arc`.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::workqueue::WorkQueue;
///
/// let queue = WorkQueue::new();
/// queue.add("default/web");
/// queue.add("default/web");
/// assert_eq!(queue.len(), 1);
///
/// let key = queue.get().await.expect("the queue is open");
/// assert_eq!(*key, "default/web");
/// queue.add("default/web"); // while it is in progress
/// assert_eq!(queue.len(), 0);
/// drop(key); // ends the work
/// assert_eq!(queue.len(), 1);
/// # }
/// ```
///
/// # Delays
/// A delayed key is added as if by [`add`](Self::add) when it is due. Keys with the same due time are added in the
/// order in which they were delayed. A key can be delayed while it is queued or in progress.
///
/// The queue has no task of its own. Every operation first adds the keys that are due, and one of the waiting
/// [`get`](Self::get)s sleeps until the next key is due, on `tokio`'s clock. A test can therefore pause the clock:
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::time::Duration;
/// use kube_informers::workqueue::WorkQueue;
///
/// let queue = WorkQueue::new();
/// queue.add_after("late", Duration::from_secs(60));
/// queue.add_after("soon", Duration::from_secs(1));
/// queue.add_after("soon", Duration::from_secs(90)); // no effect: the earlier time counts
/// queue.add("now");
/// for key in ["now", "soon", "late"] {
///     assert_eq!(queue.get().await.as_deref(), Some(&key));
/// }
/// # }
/// ```
#[doc(alias = "RateLimitingInterface")]
#[doc(alias = "DelayingInterface")]
#[doc(alias = "RateLimitingQueue")]
#[doc(alias = "DelayingQueue")]
#[doc(alias = "Interface")]
pub struct WorkQueue<T> {
    state: Mutex<QueueState<T>>,
    signals: Signals,
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
}

impl<T: Clone + Eq + Hash + Send + 'static> WorkQueue<T> {
    /// Makes an empty first-in-first-out queue without metrics, with the
    /// [default rate limiter](super::default_controller_limiter).
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Makes a builder for a queue with another rate limiter, another order, metrics or an observer.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for WorkQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone + Eq + Hash> WorkQueue<T> {
    /// Adds a key to work on (client-go's `Add`). Ignored once the queue shuts down.
    pub fn add(&self, key: T) {
        let mut state = self.access();
        state.add_due();
        state.add(key, Instant::now);
    }

    /// Adds a key after `delay`, at once if it is zero (client-go's `AddAfter`). If a key is delayed several times, the
    /// earliest time counts. Never blocks, however many keys are delayed. Ignored once the queue shuts down.
    pub fn add_after(&self, key: T, delay: Duration) {
        self.add_later(key, delay, DelayReason::Requested);
    }

    fn add_later(&self, key: T, delay: Duration, reason: DelayReason) {
        let mut state = self.access();
        let now = Instant::now();
        state.add_due_at(now);
        if state.shutting_down {
            return;
        }
        if let Some(meter) = &mut state.meter {
            meter.retried();
        }
        if delay.is_zero() {
            state.add(key, || now);
        } else {
            let (handle, is_first) = state.delay(key, now.checked_add(delay).unwrap_or_else(|| now + FAR));
            if is_first {
                state.wake_timekeeper(); // before the observer is called, because it may panic
            }
            state.observe_delayed(handle, |key| reason.event(key, delay));
        }
    }

    /// Counts a failure of the key and adds it after the rate limiter's wait (client-go's `AddRateLimited`). Once the
    /// queue shuts down, the failure is still counted, but the key is not added.
    pub fn add_rate_limited(&self, key: T) {
        let delay = lock(&self.limiter).when(&key);
        self.add_later(key, delay, DelayReason::RateLimited);
    }

    /// Resets a key's failures, after the work succeeded or was given up (client-go's `Forget`). Otherwise the rate
    /// limiter remembers the key for ever. This does not end the work on the key.
    pub fn forget(&self, key: &T) {
        lock(&self.limiter).forget(key);
    }

    /// Returns how many times the key was rate limited since it was last forgotten (client-go's `NumRequeues`).
    #[doc(alias = "NumRequeues")]
    pub fn retries(&self, key: &T) -> usize {
        lock(&self.limiter).retries(key)
    }

    /// Returns the number of queued keys, without keys in progress and delayed keys.
    pub fn len(&self) -> usize {
        let mut state = self.access();
        state.add_due();
        state.queued.len()
    }

    /// Returns true if no key is queued.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits for the next key and takes it; `None` once the queue has shut down and is empty (client-go's `Get`). The
    /// work on the key ends when the returned [`Item`] is dropped or consumed by one of its methods.
    ///
    /// While keys are queued, the queue wakes one waiting `get` at a time, in the order of their waits. The woken `get`
    /// takes a key and, if keys are left, wakes the next. If a new call of `get` takes the key first, the woken `get`
    /// waits again, behind the others.
    ///
    /// The future is cancel safe: if a waiting `get` is dropped, it has taken no key, and if it was woken, another
    /// `get` is woken instead. A woken `get` must be polled or dropped, because no other `get` is woken until then.
    pub async fn get(&self) -> Option<Item<'_, T>> {
        consume_budget().await; // a full queue must not starve the other tasks of this thread
        let found = self.access().try_take(); // usually finds a key, so the cost of a `Getter` is saved
        let taken = match found {
            TakeResult::Key(taken) => taken,
            TakeResult::End => return None,
            TakeResult::Nothing => Getter::new(self).take().await?,
        };
        Some(Item::new(self, taken))
    }

    /// Ends the work on a key (client-go's `Done`). If the key was added meanwhile, it is queued again.
    ///
    /// This is for a key from [`Item::into_key`]; dropping an [`Item`] does the same. Nothing happens if no worker has
    /// the key. A queued key would be queued a second time, as in client-go.
    pub fn done(&self, key: &T) {
        let _forgotten = self.access().done(key); // dropped after the lock is released
    }

    /// Shuts the queue down (client-go's `ShutDown`). No key can be added any more, and delayed keys are dropped. Each
    /// waiting or later [`get`](Self::get) returns the remaining queued keys, then `None`.
    ///
    /// Does not wait for the workers, and ends every wait of [`shut_down_with_drain`](Self::shut_down_with_drain).
    pub fn shut_down(&self) {
        let _dropped = {
            let mut state = self.access();
            state.add_due();
            state.shut_downs += 1;
            state.wake_drainers();
            state.wake_every_getter();
            state.shut_down()
        };
    }

    /// Shuts the queue down at once, like [`shut_down`](Self::shut_down). The returned future waits until no key is in
    /// progress, or until `shut_down` is called (client-go's `ShutDownWithDrain`). As in client-go, it does not wait
    /// for queued keys.
    pub fn shut_down_with_drain(&self) -> impl Future<Output = ()> + '_ {
        let (shut_downs, _dropped) = {
            let mut state = self.access();
            state.add_due();
            state.wake_every_getter();
            (state.shut_downs, state.shut_down())
        };
        async move {
            loop {
                let mut drained = pin!(self.signals.drained.notified());
                drained.as_mut().enable(); // registers before the check, so that no wake-up is missed
                {
                    let state = lock(&self.state);
                    if state.processing == 0 || state.shut_downs != shut_downs {
                        return;
                    }
                }
                drained.await;
            }
        }
    }

    /// Returns true if the queue is shutting down or has shut down.
    pub fn shutting_down(&self) -> bool {
        lock(&self.state).shutting_down
    }

    /// Returns the age of the work in progress (client-go's metrics `unfinished_work_seconds` and
    /// `longest_running_processor_seconds`).
    pub fn unfinished(&self) -> Unfinished {
        let state = lock(&self.state);
        state.meter.as_ref().map(|meter| meter.unfinished(Instant::now())).unwrap_or_default()
    }
}

impl<T> WorkQueue<T> {
    pub(super) fn from_parts(state: QueueState<T>, limiter: Box<dyn RateLimiter<T>>) -> Self {
        Self { state: Mutex::new(state), signals: Signals::default(), limiter: Mutex::new(limiter) }
    }

    /// Locks the state for one operation, after which the waiting tasks are woken.
    #[inline]
    pub(super) fn access(&self) -> Access<'_, T> {
        Access::new(lock(&self.state), &self.signals)
    }

    #[inline]
    pub(super) fn signals(&self) -> &Signals {
        &self.signals
    }
}

/// The delay that replaces a delay beyond the clock's range.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        f.debug_struct("WorkQueue")
            .field("queued", &state.queued.len())
            .field("processing", &state.processing)
            .field("shutting_down", &state.shutting_down)
            .finish_non_exhaustive()
    }
}
