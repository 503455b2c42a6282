//! Queue: each item with one worker at a time. Upstream: `Interface` and `Typed` in `util/workqueue/queue.go`.

use std::fmt;
use std::hash::Hash;
use std::pin::pin;
use std::sync::PoisonError;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::get::Get;
use super::line::Line;
use super::metrics::{Meter, Metrics, Unfinished};
use super::order::Order;
use super::state::{State, Wake};
use crate::lock::{Mutex, lock};

/// Items that are to be worked on, each once, by any number of workers.
///
/// - An item is queued at most once, however often it is [added](Self::add) before somebody takes it.
/// - An item is with one worker at a time. Added while a worker has it, it is queued again when that worker is
///   [done](Self::done), so no change is overlooked.
/// - Items come out in the order in which they went in, unless [another order](Self::order) is given.
/// - After [`shut_down`](Self::shut_down) nothing comes in, and what is queued still comes out.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::workqueue::Queue;
///
/// let queue = Queue::new();
/// queue.add("a");
/// queue.add("a");
/// assert_eq!(queue.len(), 1);
/// assert_eq!(queue.get().await, Some("a"));
///
/// queue.add("a"); // while somebody works on it
/// assert_eq!(queue.len(), 0);
/// queue.done(&"a");
/// assert_eq!(queue.len(), 1);
///
/// queue.shut_down();
/// assert_eq!(queue.get().await, Some("a"));
/// assert_eq!(queue.get().await, None);
/// # }
/// ```
pub struct Queue<T> {
    pub(super) state: Mutex<State<T>>,
    /// Told when nothing is being worked on any more, or when nobody is to wait for that.
    drained: Notify,
}

impl<T: Clone + Eq + Hash + Send + 'static> Queue<T> {
    /// An empty queue: first in, first out, not measured.
    pub fn new() -> Self {
        Self { state: Mutex::default(), drained: Notify::new() }
    }

    /// Hands items out in this order. To be said before the first item is added.
    #[must_use]
    pub fn order(mut self, order: impl Order<T> + 'static) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).line = Line::Ordered(Box::new(order));
        self
    }

    /// Measures what happens. To be said before the first item is added.
    #[must_use]
    pub fn metrics(mut self, metrics: impl Metrics + 'static) -> Self {
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).meter = Some(Meter::new(metrics));
        self
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone + Eq + Hash> Queue<T> {
    /// Says that an item is to be worked on, and sees to it that one of those who wait in [`get`](Self::get) comes. Ignored
    /// once the queue shuts down.
    pub fn add(&self, item: T) {
        self.change(|state| {
            state.let_in();
            state.add(item, Instant::now);
            (state.wake(), ())
        });
    }

    /// The number of queued items; those that somebody works on, and those whose time has not come, are not counted.
    pub fn len(&self) -> usize {
        self.look(|state| state.line.len())
    }

    /// Is nothing queued?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the next item, waiting for one if need be; nothing once the queue has shut down and is empty.
    /// [`done`](Self::done) has to be called for the item when the work on it is over.
    ///
    /// While something is queued, one of those who wait is on its way, the longest waiting first, and it wakes the next one
    /// when it comes and leaves something. Somebody who comes in between may be quicker, and the woken one goes on waiting in
    /// its old place. Cancel safe: a `get` that is dropped has taken nothing, and what it was woken for goes to another one.
    /// A `get` that has begun to wait has to be polled when it is woken, or dropped: the others wait for that.
    pub fn get(&self) -> Get<'_, T> {
        Get::new(self)
    }

    /// Says that the work on an item is over. If it was added meanwhile, it is queued again.
    ///
    /// For an item that nobody has, nothing happens, but an item that is queued must not be named: it would be queued a
    /// second time (as in client-go).
    pub fn done(&self, item: &T) {
        self.change(|state| {
            state.let_in();
            let forgotten = state.done(item);
            if state.shutting_down && state.processing == 0 {
                self.drained.notify_waiters();
            }
            (state.wake(), forgotten)
        });
    }

    /// Lets nothing in any more. Whoever waits, or comes later, gets what is queued and then nothing; items whose time
    /// has not come are dropped. Does not wait for the workers, and ends the waiting of those who do.
    /// May be called again.
    pub fn shut_down(&self) {
        self.change(|state| {
            state.forced += 1;
            self.drained.notify_waiters();
            (state.end(), ())
        });
    }

    /// As [`shut_down`](Self::shut_down), at once; what is returned waits until nothing is being worked on, or until
    /// `shut_down` is called. Any number may wait.
    ///
    /// As in client-go, it does not wait for items that are queued and that nobody has taken yet.
    pub fn shut_down_with_drain(&self) -> impl Future<Output = ()> + '_ {
        let forced = self.change(|state| (state.end(), state.forced));
        async move {
            loop {
                let mut told = pin!(self.drained.notified());
                told.as_mut().enable(); // before looking, so that nothing is missed
                {
                    let state = lock(&self.state);
                    if state.processing == 0 || state.forced != forced {
                        return;
                    }
                }
                told.await;
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

    /// Changes the state. What `change` hands out is dropped, and who is to be woken is woken, when the lock is free again.
    #[inline]
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut State<T>) -> (Wake, R)) -> R {
        let (wake, out) = change(&mut lock(&self.state));
        wake.now();
        out
    }

    fn look<R>(&self, look: impl FnOnce(&State<T>) -> R) -> R {
        self.change(|state| {
            state.let_in();
            (state.wake(), look(state))
        })
    }
}

impl<T> fmt::Debug for Queue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        f.debug_struct("Queue")
            .field("queued", &state.line.len())
            .field("processing", &state.processing)
            .field("shutting_down", &state.shutting_down)
            .finish_non_exhaustive()
    }
}
