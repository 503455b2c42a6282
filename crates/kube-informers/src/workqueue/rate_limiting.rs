//! RateLimitingQueue: failed items come back later and later. Upstream: `util/workqueue/rate_limiting_queue.go`.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;

use super::delaying::DelayingQueue;
use super::limiter::RateLimiter;
use crate::lock::{Mutex, lock};

/// A [`DelayingQueue`] to which items are added when its limiter says so. Everything a delaying queue does, it does too.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::time::Duration;
/// use kube_informers::workqueue::{Exponential, RateLimitingQueue};
///
/// let queue = RateLimitingQueue::new(Exponential::new(Duration::from_millis(1), Duration::from_secs(1)));
/// queue.add_rate_limited("a"); // in 1 ms
/// queue.add_rate_limited("a"); // in 2 ms, but it waits already
/// assert_eq!(queue.num_requeues(&"a"), 2);
///
/// assert_eq!(queue.get().await, Some("a"));
/// queue.forget(&"a"); // the work was done
/// queue.done(&"a");
/// assert_eq!(queue.num_requeues(&"a"), 0);
/// # }
/// ```
pub struct RateLimitingQueue<T> {
    queue: DelayingQueue<T>,
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
}

impl<T: Clone + Eq + Hash + Send + 'static> RateLimitingQueue<T> {
    /// An empty queue with this limiter.
    pub fn new(limiter: impl RateLimiter<T> + 'static) -> Self {
        Self::over(DelayingQueue::new(), limiter)
    }
}

impl<T: Clone + Eq + Hash> RateLimitingQueue<T> {
    /// A limiter over a queue that exists, say one with an order or with metrics of its own.
    pub fn over(queue: impl Into<DelayingQueue<T>>, limiter: impl RateLimiter<T> + 'static) -> Self {
        Self { queue: queue.into(), limiter: Mutex::new(Box::new(limiter)) }
    }

    /// Adds an item after the limiter's delay for it.
    pub fn add_rate_limited(&self, item: T) {
        let delay = lock(&self.limiter).when(&item);
        self.queue.add_after(item, delay);
    }

    /// Says that an item is not to be limited any more, whether the work was done or given up. Without it the limiter
    /// remembers the item for ever. It says nothing to the queue: `done` has to be called all the same.
    pub fn forget(&self, item: &T) {
        lock(&self.limiter).forget(item);
    }

    /// How many times the item was limited since it was last forgotten.
    pub fn num_requeues(&self, item: &T) -> usize {
        lock(&self.limiter).num_requeues(item)
    }
}

impl<T> Deref for RateLimitingQueue<T> {
    type Target = DelayingQueue<T>;

    fn deref(&self) -> &DelayingQueue<T> {
        &self.queue
    }
}

impl<T> fmt::Debug for RateLimitingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimitingQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}
