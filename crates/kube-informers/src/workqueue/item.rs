//! Item: a key in the hands of a worker.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::time::Duration;

use super::queue::WorkQueue;
use super::state::{Hold, Taken};

/// A key that a worker has, from [`WorkQueue::get`]. Nobody else gets the key as long as this lives.
///
/// It is the key (`Deref`), and the work on it is over when it is dropped: also when the worker panics, or when its future is
/// dropped. If the key was added meanwhile, it is then queued again. A dropped item counts neither as a success nor as a
/// failure; what comes of the key is said by [`forget`](Self::forget), [`retry`](Self::retry) and
/// [`retry_after`](Self::retry_after).
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use kube_informers::workqueue::WorkQueue;
///
/// let queue = WorkQueue::new();
/// queue.add("default/web");
/// let mut tries = 0;
/// while let Some(key) = queue.get().await {
///     tries += 1;
///     if tries < 3 {
///         key.retry(); // it failed: again, later
///     } else {
///         key.forget(); // it succeeded: the next failure is a first one
///         queue.shut_down();
///     }
/// }
/// assert_eq!(tries, 3);
/// # }
/// ```
#[must_use = "the work on the key is over when this is dropped"]
pub struct Item<'a, T: Clone + Eq + Hash> {
    key: T,
    work: Work<'a, T>,
}

/// The work on a key, which is over when this is dropped.
struct Work<'a, T: Clone + Eq + Hash> {
    queue: &'a WorkQueue<T>,
    /// None once somebody else is to say that it is over.
    hold: Option<Hold>,
}

impl<'a, T: Clone + Eq + Hash> Item<'a, T> {
    pub(super) fn new(queue: &'a WorkQueue<T>, taken: Taken<T>) -> Self {
        Self { key: taken.key, work: Work { queue, hold: Some(taken.hold) } }
    }

    /// The work failed: the key comes again after the limiter's wait, longer each time.
    #[doc(alias = "AddRateLimited")]
    pub fn retry(self) {
        self.work.queue.add_rate_limited(self.key.clone());
    }

    /// The key comes again after this time. That is no failure, and the failures that were counted still count.
    #[doc(alias = "AddAfter")]
    pub fn retry_after(self, delay: Duration) {
        self.work.queue.add_after(self.key.clone(), delay);
    }

    /// The work succeeded, or is given up: the key's failures do not count any more.
    pub fn forget(self) {
        self.work.queue.forget(&self.key);
    }

    /// The bare key. Whoever calls this has to call [`WorkQueue::done`] when the work on the key is over; otherwise nobody
    /// gets it again.
    ///
    /// It is the low-level way, for code that cannot keep a guard, such as a replay of client-go's calls.
    pub fn into_key(mut self) -> T {
        self.work.hold = None;
        self.key
    }
}

impl<T: Clone + Eq + Hash> Deref for Item<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.key
    }
}

impl<T: Clone + Eq + Hash> Drop for Work<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(hold) = self.hold {
            let _forgotten = self.queue.access().give_back(hold); // dropped when the lock is free
        }
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Item<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.key).finish()
    }
}
