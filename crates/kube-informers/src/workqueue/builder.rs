//! WorkQueueBuilder: the options of a work queue, which cannot change after it was built.

use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;

use super::limiter::{RateLimiter, default_controller_limiter};
use super::metrics::{Meter, Metrics};
use super::observe::{Observer, WorkEvent};
use super::order::Order;
use super::queue::WorkQueue;
use super::queued_keys::QueuedKeys;
use super::state::QueueState;

/// Builds a [`WorkQueue`].
///
/// ```
/// use std::time::Duration;
/// use kube_informers::workqueue::{Exponential, WorkQueue};
///
/// let limiter = Exponential::new(Duration::from_millis(1), Duration::from_secs(1));
/// let queue = WorkQueue::builder().limiter(limiter).build();
/// queue.add_rate_limited("a"); // in 1 ms
/// queue.add_rate_limited("a"); // in 2 ms, but the key is already due in 1 ms, and the earlier time counts
/// assert_eq!(queue.retries(&"a"), 2);
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct WorkQueueBuilder<T> {
    limiter: Option<Box<dyn RateLimiter<T>>>,
    queued: QueuedKeys<T>,
    meter: Option<Box<Meter>>,
    observer: Option<Observer<T>>,
}

impl<T: Clone + Eq + Hash + Send + 'static> WorkQueueBuilder<T> {
    pub(super) fn new() -> Self {
        Self { limiter: None, queued: QueuedKeys::Fifo(VecDeque::new()), meter: None, observer: None }
    }

    /// Sets the rate limiter, which decides how long a failed key waits. The default is [`default_controller_limiter`].
    pub fn limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Some(Box::new(limiter));
        self
    }

    /// Sets the order in which keys are taken. The default is [first in, first out](super::Fifo).
    pub fn order(mut self, order: impl Order<T> + 'static) -> Self {
        self.queued = QueuedKeys::Ordered { order: Box::new(order), len: 0, peeked: None, refused: VecDeque::new() };
        self
    }

    /// Sets the metrics that the queue reports to.
    pub fn metrics(mut self, metrics: impl Metrics + 'static) -> Self {
        self.meter = Some(Box::new(Meter::new(Box::new(metrics))));
        self
    }

    /// Sets an observer that gets each event of each key, in order.
    ///
    /// Like [`Metrics`], the observer runs under the queue's lock: it must be quick and must not use the queue. A panic
    /// of the observer propagates to the caller of the queue, and the queue stays consistent.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use std::sync::{Arc, Mutex};
    /// use kube_informers::workqueue::WorkQueue;
    ///
    /// let events = Arc::new(Mutex::new(Vec::new()));
    /// let sink = events.clone();
    /// let queue = WorkQueue::builder().observer(move |event| sink.lock().unwrap().push(format!("{event:?}"))).build();
    /// queue.add("a");
    /// drop(queue.get().await);
    /// assert_eq!(
    ///     *events.lock().unwrap(),
    ///     [r#"Added { key: "a", effect: Queued }"#, r#"Taken { key: "a" }"#, r#"Done { key: "a", again: false }"#],
    /// );
    /// # }
    /// ```
    pub fn observer(mut self, observe: impl FnMut(WorkEvent<'_, T>) + Send + 'static) -> Self {
        self.observer = Some(Box::new(observe));
        self
    }

    /// Builds an empty queue.
    pub fn build(self) -> WorkQueue<T> {
        let limiter = self.limiter.unwrap_or_else(|| Box::new(default_controller_limiter()));
        WorkQueue::from_parts(QueueState::new(self.queued, self.meter, self.observer), limiter)
    }
}

impl<T> fmt::Debug for WorkQueueBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueBuilder")
            .field("metered", &self.meter.is_some())
            .field("observed", &self.observer.is_some())
            .finish_non_exhaustive()
    }
}
