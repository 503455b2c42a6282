//! The evictions that wait for their time, or that are in progress. Upstream: `TimedWorkerQueue`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use tokio::time::Instant;

/// The times of the evictions by the keys of their pods, and `None` for an eviction that nothing can stop any more. An
/// entry goes with its pod, so there are at most as many as pods.
#[derive(Default)]
pub(super) struct Evictions(Mutex<HashMap<String, Option<Instant>>>);

impl Evictions {
    /// Plans the eviction of a pod for a time, or for now. Returns false if one is planned already, which then keeps
    /// its time.
    pub(super) fn add(&self, pod: &str, at: Option<Instant>) -> bool {
        let mut all = self.lock();
        let is_new = !all.contains_key(pod);
        if is_new {
            all.insert(pod.to_owned(), at);
        }
        is_new
    }

    /// Removes the eviction of a pod. Returns true if it could still be stopped.
    pub(super) fn cancel(&self, pod: &str) -> bool {
        self.lock().remove(pod).flatten().is_some()
    }

    /// Returns true if a pod must be evicted now. From then on, the eviction can no longer be stopped.
    pub(super) fn begin(&self, pod: &str) -> bool {
        let mut all = self.lock();
        let Some(time) = all.get_mut(pod) else { return false };
        let is_due = time.is_none_or(|at| at <= Instant::now());
        if is_due {
            *time = None;
        }
        is_due
    }

    pub(super) fn done(&self, pod: &str) {
        self.lock().remove(pod);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Option<Instant>>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_eviction_begins_at_its_time_and_can_be_cancelled_before() {
        let (evictions, later) = (Evictions::default(), Some(Instant::now() + Duration::from_secs(5)));
        assert!(evictions.add("a", later) && !evictions.add("a", None));
        assert!(!evictions.begin("a") && !evictions.begin("b"));
        assert_eq!((evictions.cancel("a"), evictions.cancel("a")), (true, false));
        assert!(evictions.add("a", later));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert!(evictions.begin("a"));
        assert!(!evictions.cancel("a"), "it has begun");
    }
}
