//! The evictions that wait for their time, or that are in progress. Upstream: `TimedWorkerQueue`.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

/// The planned evictions. A pod has at most one, and none once it is deleted, so there are at most as many as pods.
#[derive(Default)]
pub(super) struct Evictions(Mutex<Planned>);

#[derive(Default)]
struct Planned {
    /// The time of each eviction by the key of its pod, and `None` if it is to begin at once or has begun.
    by_pod: HashMap<String, Option<Instant>>,
    /// The evictions that wait for their time, the next one first. A cancelled eviction is not among them.
    timers: BTreeSet<(Instant, String)>,
}

impl Planned {
    /// Removes the eviction of a pod. Returns the time that it waited for.
    fn remove(&mut self, pod: &str) -> Option<Instant> {
        let at = self.by_pod.remove(pod).flatten()?;
        self.timers.remove(&(at, pod.to_owned()));
        Some(at)
    }
}

impl Evictions {
    /// Plans the eviction of a pod for a time, or for now. Returns false if one is planned already, which then keeps
    /// its time.
    pub(super) fn add(&self, pod: &str, at: Option<Instant>) -> bool {
        let mut planned = self.lock();
        let is_new = !planned.by_pod.contains_key(pod);
        if is_new {
            planned.by_pod.insert(pod.to_owned(), at);
            planned.timers.extend(at.map(|at| (at, pod.to_owned())));
        }
        is_new
    }

    /// Removes the eviction of a pod, which then does not begin. One that has begun goes on, as in upstream. Returns
    /// true if the eviction waited for its time.
    pub(super) fn cancel(&self, pod: &str) -> bool {
        self.lock().remove(pod).is_some()
    }

    /// Returns the pods whose time has come, each only once, and how long the next one still has to wait.
    pub(super) fn due(&self) -> (Vec<String>, Option<Duration>) {
        let (mut planned, now) = (self.lock(), Instant::now());
        let mut due = Vec::new();
        while let Some((at, _)) = planned.timers.first() {
            if *at > now {
                return (due, Some(*at - now));
            }
            due.extend(planned.timers.pop_first().map(|(_, pod)| pod));
        }
        (due, None)
    }

    /// Returns true if a pod must be evicted now, and marks its eviction as begun. Returns false if the eviction was
    /// cancelled; an eviction that was planned after that has its own timer.
    pub(super) fn begin(&self, pod: &str) -> bool {
        let mut planned = self.lock();
        let Some(time) = planned.by_pod.get_mut(pod) else { return false };
        let is_due = time.is_none_or(|at| at <= Instant::now());
        if is_due {
            *time = None;
        }
        is_due
    }

    pub(super) fn done(&self, pod: &str) {
        self.lock().remove(pod);
    }

    fn lock(&self) -> MutexGuard<'_, Planned> {
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

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_eviction_leaves_no_timer_behind() {
        let (evictions, start) = (Evictions::default(), Instant::now());
        let at = |seconds| Some(start + Duration::from_secs(seconds));
        for n in 0..1000 {
            assert!(evictions.add("a", at(100 + n)) && evictions.cancel("a"));
        }
        assert!(evictions.lock().timers.is_empty() && evictions.lock().by_pod.is_empty());
        assert!(evictions.add("b", at(20)) && evictions.add("a", at(20)) && evictions.add("c", at(30)));
        assert_eq!(evictions.due(), (vec![], Some(Duration::from_secs(20))));
        tokio::time::advance(Duration::from_secs(25)).await;
        assert_eq!(evictions.due(), (vec!["a".to_owned(), "b".to_owned()], Some(Duration::from_secs(5))));
        assert!(evictions.cancel("c"));
        assert_eq!(evictions.due(), (vec![], None));
    }
}
