//! Item: the guard of a key that a worker has taken. It ends the work on the key even if the worker panics, because the
//! key would otherwise stay in progress for ever.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::time::Duration;

use super::queue::WorkQueue;
use super::state::{Claim, Taken};

/// A key that a worker has taken with [`WorkQueue::get`]. No other worker gets the key while the item exists.
///
/// The item dereferences to the key. Dropping it ends the work on the key (client-go's `Done`), which counts neither as
/// a success nor as a failure: [`forget`](Self::forget), [`retry`](Self::retry) and [`retry_after`](Self::retry_after)
/// report the result. If the key was added meanwhile, it is then queued again.
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
///         key.retry(); // the work failed: the key comes again later
///     } else {
///         key.forget(); // the work succeeded: the failures are no longer counted
///         queue.shut_down();
///     }
/// }
/// assert_eq!(tries, 3);
/// # }
/// ```
#[must_use = "the work on the key is over when this is dropped"]
pub struct Item<'a, T: Clone + Eq + Hash> {
    key: T,
    guard: ClaimGuard<'a, T>,
}

/// The guard of a claim: ends the work on the key when it is dropped.
struct ClaimGuard<'a, T: Clone + Eq + Hash> {
    queue: &'a WorkQueue<T>,
    /// `None` once the caller of [`Item::into_key`] is responsible for ending the work.
    claim: Option<Claim>,
}

impl<'a, T: Clone + Eq + Hash> Item<'a, T> {
    pub(super) fn new(queue: &'a WorkQueue<T>, taken: Taken<T>) -> Self {
        Self { key: taken.key, guard: ClaimGuard { queue, claim: Some(taken.claim) } }
    }

    /// Ends the work as failed. The key is queued again after the rate limiter's wait, which grows with each failure
    /// (client-go's `AddRateLimited`).
    #[doc(alias = "AddRateLimited")]
    pub fn retry(self) {
        self.guard.queue.add_rate_limited(self.key.clone());
    }

    /// Ends the work, and queues the key again after `delay` (client-go's `AddAfter`). The key's failures stay as they
    /// are.
    #[doc(alias = "AddAfter")]
    pub fn retry_after(self, delay: Duration) {
        self.guard.queue.add_after(self.key.clone(), delay);
    }

    /// Ends the work as succeeded or given up, and resets the key's failures (client-go's `Forget`).
    pub fn forget(self) {
        self.guard.queue.forget(&self.key);
    }

    /// Returns the bare key, for code that cannot keep a guard. The caller must call [`WorkQueue::done`] when the work
    /// on the key is over, or no worker will ever get the key again.
    pub fn into_key(mut self) -> T {
        self.guard.claim = None;
        self.key
    }
}

impl<T: Clone + Eq + Hash> Deref for Item<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.key
    }
}

impl<T: Clone + Eq + Hash> Drop for ClaimGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(claim) = self.claim {
            let _forgotten = self.queue.access().finish_claim(claim); // dropped after the lock is released
        }
    }
}

impl<T: Clone + Eq + Hash + fmt::Debug> fmt::Debug for Item<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.key).finish()
    }
}
