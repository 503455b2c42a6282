//! WorkQueue: each key with one worker at a time. Upstream: `Typed`, `DelayingInterface` and `RateLimitingInterface` in
//! `util/workqueue`.

use std::fmt;
use std::hash::Hash;
use std::pin::pin;
use std::time::Duration;

use tokio::task::coop::consume_budget;
use tokio::time::Instant;

use super::access::{Access, Signals};
use super::builder::WorkQueueBuilder;
use super::get::Waiter;
use super::item::Item;
use super::limiter::RateLimiter;
use super::metrics::Unfinished;
use super::observe::Later;
use super::state::{Found, QueueState};
use crate::lock::{Mutex, lock};

/// Keys that are to be worked on, each by one worker at a time, at once or later.
///
/// - A key is queued at most once, however often it is [added](Self::add) before a worker takes it.
/// - A key is with one worker at a time. Added while a worker has it, it is queued again when that worker is done, so no
///   change is overlooked.
/// - Keys come out in the order in which they went in, unless the queue was built with [another](WorkQueueBuilder::order).
/// - A key can be added for [later](Self::add_after), or after a wait that grows with each failure
///   ([`add_rate_limited`](Self::add_rate_limited)).
/// - After [`shut_down`](Self::shut_down) nothing comes in, and what is queued still comes out.
///
/// Most programs fill it in their handlers and leave the rest to [`workers`](Self::workers). A queue is shared by reference
/// or in an `Arc`.
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
/// queue.add("default/web"); // while somebody works on it
/// assert_eq!(queue.len(), 0);
/// drop(key); // the work is over
/// assert_eq!(queue.len(), 1);
/// # }
/// ```
///
/// # Delays
/// A key whose time has come is added as if by [`add`](Self::add) at that very moment: in order of due times, and of equal
/// ones in the order in which they were said. A key can be delayed and queued at once, or delayed while a worker has it.
///
/// The queue has no task of its own: every operation first lets in what is due, and one of those who wait in
/// [`get`](Self::get) sleeps until the next key is due, on `tokio`'s clock. So a paused clock is a test clock:
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::time::Duration;
/// use kube_informers::workqueue::WorkQueue;
///
/// let queue = WorkQueue::new();
/// queue.add_after("late", Duration::from_secs(60));
/// queue.add_after("soon", Duration::from_secs(1));
/// queue.add_after("soon", Duration::from_secs(90)); // the earlier time stands
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
    /// An empty queue: first in, first out, not measured, with the
    /// [limiter that controllers use](super::default_controller_limiter).
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A queue with a limiter, an order or metrics of its own.
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
    /// Says that a key is to be worked on. Ignored once the queue shuts down.
    pub fn add(&self, key: T) {
        let mut state = self.access();
        state.let_in();
        state.add(key, Instant::now);
    }

    /// Adds a key when this much time has passed; at once if none is to pass. Of several times for a key the earliest
    /// stands. Never blocks, however many keys are delayed. Ignored once the queue shuts down.
    pub fn add_after(&self, key: T, delay: Duration) {
        self.later(key, delay, Later::Asked);
    }

    fn later(&self, key: T, delay: Duration, why: Later) {
        let mut state = self.access();
        let now = Instant::now();
        state.let_due_in(now);
        if state.shutting_down {
            return;
        }
        if let Some(meter) = &mut state.meter {
            meter.retried();
        }
        if delay.is_zero() {
            state.add(key, || now);
        } else {
            let (handle, sooner) = state.delay(key, now.checked_add(delay).unwrap_or_else(|| now + FAR));
            if sooner {
                state.wake_keeper(); // before the observer, which may panic, is told
            }
            state.tell_delayed(handle, |key| why.event(key, delay));
        }
    }

    /// Adds a key after the limiter's wait for it. Counts as a failure of the key. Ignored once the queue shuts down, but for
    /// the count.
    pub fn add_rate_limited(&self, key: T) {
        let delay = lock(&self.limiter).when(&key);
        self.later(key, delay, Later::Failed);
    }

    /// Says that a key's failures do not count any more, whether the work succeeded or was given up. Without it the limiter
    /// remembers the key for ever. It does not end the work on the key.
    pub fn forget(&self, key: &T) {
        lock(&self.limiter).forget(key);
    }

    /// How many times the key was rate limited since it was last forgotten.
    #[doc(alias = "NumRequeues")]
    pub fn retries(&self, key: &T) -> usize {
        lock(&self.limiter).retries(key)
    }

    /// The number of queued keys; those that somebody works on, and those whose time has not come, are not counted.
    pub fn len(&self) -> usize {
        let mut state = self.access();
        state.let_in();
        state.line.len()
    }

    /// Is nothing queued?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next key, waiting for one if need be; `None` once the queue has shut down and is empty. The work on the key is
    /// over when the returned [`Item`] is dropped or ended by one of its methods.
    ///
    /// While keys are queued, the queue wakes one waiting `get` at a time, the longest waiting first. It takes a key; if keys are
    /// left, it wakes the next one. A `get` that is called in between may take the key first. The one that was woken then waits
    /// again, behind the others.
    ///
    /// Cancel safe: a `get` that is dropped has taken no key, and if it was woken, another one is woken in its place. A `get` that
    /// was woken must be polled or dropped: until then no other one is woken.
    pub async fn get(&self) -> Option<Item<'_, T>> {
        consume_budget().await; // a full queue must not starve the other tasks of this thread
        let found = self.access().look(); // most often there is a key, and nothing has to be set up for waiting
        let taken = match found {
            Found::Key(taken) => taken,
            Found::End => return None,
            Found::Nothing => Waiter::new(self).take().await?,
        };
        Some(Item::new(self, taken))
    }

    /// Says that the work on a key is over, whoever has it. If the key was added meanwhile, it is queued again.
    ///
    /// This is the low-level way, for a key that was taken out of its guard by [`Item::into_key`]; an [`Item`] does it when it
    /// is dropped. For a key that nobody has, nothing happens, but a key that is queued must not be named: it would be queued a
    /// second time (as in client-go).
    pub fn done(&self, key: &T) {
        let _forgotten = self.access().done(key); // dropped when the lock is free
    }

    /// Lets nothing in any more. Whoever waits, or comes later, gets what is queued and then nothing; keys whose time
    /// has not come are dropped. Does not wait for the workers, and ends the waiting of those who
    /// [do](Self::shut_down_with_drain). May be called again.
    pub fn shut_down(&self) {
        let _dropped = {
            let mut state = self.access();
            state.let_in();
            state.forced += 1;
            state.wake_drainers();
            state.wake_every_getter();
            state.end()
        };
    }

    /// As [`shut_down`](Self::shut_down), at once; what is returned waits until nothing is being worked on, or until
    /// `shut_down` is called. Any number may wait.
    ///
    /// As in client-go, it does not wait for keys that are queued and that nobody has taken yet.
    pub fn shut_down_with_drain(&self) -> impl Future<Output = ()> + '_ {
        let (forced, _dropped) = {
            let mut state = self.access();
            state.let_in();
            state.wake_every_getter();
            (state.forced, state.end())
        };
        async move {
            loop {
                let mut drained = pin!(self.signals.drained.notified());
                drained.as_mut().enable(); // before looking, so that nothing is missed
                {
                    let state = lock(&self.state);
                    if state.processing == 0 || state.forced != forced {
                        return;
                    }
                }
                drained.await;
            }
        }
    }

    /// Does the queue let nothing in any more?
    pub fn shutting_down(&self) -> bool {
        lock(&self.state).shutting_down
    }

    /// The work under way: client-go's metrics `unfinished_work_seconds` and `longest_running_processor_seconds`.
    pub fn unfinished(&self) -> Unfinished {
        let state = lock(&self.state);
        state.meter.as_ref().map(|meter| meter.unfinished(Instant::now())).unwrap_or_default()
    }
}

impl<T> WorkQueue<T> {
    pub(super) fn over(state: QueueState<T>, limiter: Box<dyn RateLimiter<T>>) -> Self {
        Self { state: Mutex::new(state), signals: Signals::default(), limiter: Mutex::new(limiter) }
    }

    #[inline]
    pub(super) fn access(&self) -> Access<'_, T> {
        Access::new(lock(&self.state), &self.signals)
    }

    #[inline]
    pub(super) fn signals(&self) -> &Signals {
        &self.signals
    }
}

/// What stands for a time beyond the clock's range.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

impl<T> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        f.debug_struct("WorkQueue")
            .field("queued", &state.line.len())
            .field("processing", &state.processing)
            .field("shutting_down", &state.shutting_down)
            .finish_non_exhaustive()
    }
}
