//! DelayingQueue: items that come in later. Upstream: `util/workqueue/delaying_queue.go`.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::time::Duration;

use tokio::time::Instant;

use super::queue::Queue;

/// A [`Queue`] to which items can be added for later. Everything a queue does, it does too.
///
/// An item whose time has come is added as if by [`Queue::add`] at that very moment, in order of due times, and of equal
/// ones in the order in which they were said. Waiting and being queued are apart: an item may do both, or wait while a
/// worker has it.
///
/// There is no task: every operation lets in what is due before it does anything else, and one of those who wait in
/// [`Queue::get`] sleeps until the next item is due, on `tokio`'s clock.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::time::Duration;
/// use kube_informers::workqueue::DelayingQueue;
///
/// let queue = DelayingQueue::new();
/// queue.add_after("late", Duration::from_secs(60));
/// queue.add_after("soon", Duration::from_secs(1));
/// queue.add_after("soon", Duration::from_secs(90)); // the earlier time stands
/// queue.add("now");
/// assert_eq!(queue.len(), 1);
/// assert_eq!(queue.get().await, Some("now"));
/// assert_eq!(queue.get().await, Some("soon"));
/// assert_eq!(queue.get().await, Some("late"));
/// # }
/// ```
pub struct DelayingQueue<T>(Queue<T>);

/// What stands for a time beyond the clock's range.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

impl<T: Clone + Eq + Hash + Send + 'static> DelayingQueue<T> {
    /// An empty queue. For another order, or to measure it, make it [from](Self::from) a [`Queue`].
    pub fn new() -> Self {
        Self(Queue::new())
    }
}

impl<T: Clone + Eq + Hash + Send + 'static> Default for DelayingQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<Queue<T>> for DelayingQueue<T> {
    fn from(queue: Queue<T>) -> Self {
        Self(queue)
    }
}

impl<T: Clone + Eq + Hash> DelayingQueue<T> {
    /// Adds an item when this much time has passed; at once if none is to pass. Of several times for an item that waits
    /// the earliest stands. Never blocks, however many items wait. Ignored once the queue shuts down.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.0.change(|state| {
            let now = Instant::now();
            state.let_due_in(now);
            if state.shutting_down {
                return (state.wake(), ());
            }
            if let Some(meter) = &mut state.meter {
                meter.retried();
            }
            if delay.is_zero() {
                state.add(item, || now);
                return (state.wake(), ());
            }
            let sooner = state.wait(item, now.checked_add(delay).unwrap_or_else(|| now + FAR));
            let wake = state.wake();
            (if sooner { wake.and(state.waiters.time_changed()) } else { wake }, ())
        });
    }
}

impl<T> Deref for DelayingQueue<T> {
    type Target = Queue<T>;

    fn deref(&self) -> &Queue<T> {
        &self.0
    }
}

impl<T> fmt::Debug for DelayingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DelayingQueue").field(&self.0).finish()
    }
}
