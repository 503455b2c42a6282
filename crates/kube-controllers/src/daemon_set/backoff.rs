//! The back-off after a failed daemon pod: a second, then twice as long each time, at most 15 minutes. A node that
//! refuses every pod would otherwise get new ones all the time. Upstream: `failedPodsBackoff`.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// The length and the start of the last back-off, by DaemonSet and node.
#[derive(Default)]
pub(super) struct Backoffs(Mutex<HashMap<(String, String), (Duration, Instant)>>);

impl Backoffs {
    /// Returns the rest of a back-off in progress. If there is none, the failed pod may be deleted now: begins the next
    /// back-off and returns `None`.
    pub(super) fn next(&self, set: &str, node: &str) -> Option<Duration> {
        let mut all = self.0.lock().expect("nothing panics under this lock");
        let entry = (set.to_owned(), node.to_owned());
        let (length, began) = all.get(&entry).copied().unwrap_or((Duration::ZERO, Instant::now()));
        let left = length.saturating_sub(began.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        // After a long time without failures, the back-off starts from the beginning.
        let calm = began.elapsed() > 2 * LONGEST;
        let next = if calm { FIRST } else { (2 * length).clamp(FIRST, LONGEST) };
        all.insert(entry, (next, Instant::now()));
        None
    }

    pub(super) fn forget(&self, set: &str) {
        self.0.lock().expect("nothing panics under this lock").retain(|(one, _), _| one != set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_failure_on_a_node_doubles_the_wait() {
        let backoffs = Backoffs::default();
        assert_eq!(backoffs.next("default/web", "node-1"), None);
        assert_eq!(backoffs.next("default/web", "node-1"), Some(FIRST));
        assert_eq!(backoffs.next("default/web", "node-2"), None);
        tokio::time::sleep(FIRST).await;
        assert_eq!(backoffs.next("default/web", "node-1"), None);
        assert_eq!(backoffs.next("default/web", "node-1"), Some(2 * FIRST));
        backoffs.forget("default/web");
        assert_eq!(backoffs.next("default/web", "node-1"), None);
    }
}
