//! The back-off of a container that fails again and again. Upstream: `flowcontrol.Backoff`, `doBackOff` in
//! `pkg/kubelet/kuberuntime/kuberuntime_manager.go`.

use std::time::Duration;

use tokio::time::Instant;

/// The first back-off. Upstream: `backOffPeriod`.
const FIRST: Duration = Duration::from_secs(10);
/// The longest back-off. Upstream: `MaxContainerBackOff`.
const LONGEST: Duration = Duration::from_secs(300);

/// The back-off of one container.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    /// The back-off after the next failure, and when the container was started again; `None` before its first failure.
    entry: Option<(Duration, Instant)>,
}

impl Backoff {
    /// Takes note that the container has failed now. Returns its back-off; `None` if it starts again at once, as after
    /// its first failure, and after it has worked for a long time.
    pub(super) fn failed(&self) -> Option<Duration> {
        self.current(Instant::now())
    }

    /// Takes note that the container, which failed at this time, starts again now. Upstream: `Next`.
    pub(super) fn restarts(&mut self, failed: Instant) {
        let next = self.current(failed).map_or(FIRST, |backoff| (backoff * 2).min(LONGEST));
        self.entry = Some((next, Instant::now()));
    }

    /// Returns the back-off of a failure at this time. Upstream: `hasExpired`.
    fn current(&self, failed: Instant) -> Option<Duration> {
        let (backoff, started) = self.entry?;
        (failed.duration_since(started) <= LONGEST * 2).then_some(backoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_first_restart_is_at_once_and_the_later_ones_wait_longer_and_longer() {
        let (mut backoff, mut waits) = (Backoff::default(), Vec::new());
        for _ in 0..8 {
            let failed = Instant::now();
            let wait = backoff.failed();
            waits.push(wait.unwrap_or_default().as_secs());
            tokio::time::sleep(wait.unwrap_or_default()).await;
            backoff.restarts(failed);
        }
        assert_eq!(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
        tokio::time::sleep(LONGEST * 2 + Duration::from_secs(1)).await;
        assert_eq!(backoff.failed(), None, "it has worked for long");
    }
}
