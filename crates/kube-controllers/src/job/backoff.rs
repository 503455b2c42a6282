//! The back-off of a Job: after a failed pod, the Job waits 10 seconds before it creates the next pod, and twice as
//! long after each further failure, at most 10 minutes. Without it, pods that fail at once would be replaced without a
//! pause. Upstream: `pkg/controller/job/backoff_utils.go`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

const FIRST: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(600);

/// The number of failed pods since the last success, and the time of the last failure, by the key of the Job.
#[derive(Default)]
pub(super) struct Backoffs(Mutex<HashMap<String, (u32, Instant)>>);

impl Backoffs {
    /// Notes how many pods a sync has counted as succeeded and as failed, so each failure lengthens the wait once. A
    /// success ends the back-off.
    pub(super) fn counted(&self, job: &str, succeeded: usize, failed: usize) {
        let mut all = self.lock();
        if succeeded > 0 {
            all.remove(job);
        }
        if failed > 0 {
            let entry = all.entry(job.to_owned()).or_insert((0, Instant::now()));
            let failed = u32::try_from(failed).unwrap_or(u32::MAX);
            *entry = (entry.0.saturating_add(failed), Instant::now());
        }
    }

    /// Returns the time that is left until the next pod may be created.
    pub(super) fn left(&self, job: &str) -> Duration {
        let Some((failures, last)) = self.lock().get(job).copied() else { return Duration::ZERO };
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        FIRST.saturating_mul(doubled).min(LONGEST).saturating_sub(last.elapsed())
    }

    pub(super) fn forget(&self, job: &str) {
        self.lock().remove(job);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (u32, Instant)>> {
        self.0.lock().expect("nothing panics under this lock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_failure_doubles_the_wait_and_a_success_ends_it() {
        let backoffs = Backoffs::default();
        assert_eq!(backoffs.left("job"), Duration::ZERO);
        backoffs.counted("job", 0, 1);
        assert_eq!(backoffs.left("job"), FIRST);
        tokio::time::sleep(FIRST).await;
        assert_eq!(backoffs.left("job"), Duration::ZERO);
        backoffs.counted("job", 0, 1);
        assert_eq!(backoffs.left("job"), 2 * FIRST);
        backoffs.counted("job", 0, 30);
        assert_eq!(backoffs.left("job"), LONGEST);
        backoffs.counted("job", 1, 0);
        assert_eq!(backoffs.left("job"), Duration::ZERO);
    }
}
