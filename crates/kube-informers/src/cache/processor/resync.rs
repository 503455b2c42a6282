//! Resync: when a listener is due to be told everything again. Upstream: `processorListener`'s resync fields and
//! `determineResyncPeriod` in `tools/cache/shared_informer.go`.

use std::time::Duration;

use tokio::time::Instant;

/// No listener resyncs more often than this.
pub(crate) const MINIMUM: Duration = Duration::from_secs(1);

/// One listener's resync.
#[derive(Debug)]
pub(crate) struct Resync {
    requested: Duration,
    /// What was requested, made to fit the informer's check period; zero is never.
    period: Duration,
    /// Nothing if that is too far away to be counted.
    due_at: Option<Instant>,
    /// The answer of the last tick. True before the first one, as upstream: until then every listener is told of
    /// unchanged objects.
    due: bool,
}

impl Resync {
    pub fn never() -> Self {
        Self::every(Duration::ZERO, Duration::ZERO)
    }

    /// A listener that asked for `requested` in an informer that checks every `check`.
    pub fn every(requested: Duration, check: Duration) -> Self {
        let period = fitting(requested, check);
        Self { requested, period, due_at: Instant::now().checked_add(period), due: true }
    }

    /// Fits the period to another check period. The next time it is due stays.
    pub fn fit(&mut self, check: Duration) {
        self.period = fitting(self.requested, check);
    }

    /// Is it due now? If so, the next period begins.
    pub fn tick(&mut self, now: Instant) -> bool {
        self.due = !self.period.is_zero() && self.due_at.is_some_and(|due_at| now >= due_at);
        if self.due {
            self.due_at = now.checked_add(self.period);
        }
        self.due
    }

    /// It is due until the next tick, whatever the period.
    pub fn make_due(&mut self) {
        self.due = true;
    }

    pub fn is_due(&self) -> bool {
        self.due
    }
}

/// Zero if either is zero, since such a listener or informer never resyncs; else what was requested, but no more often
/// than the informer checks.
fn fitting(requested: Duration, check: Duration) -> Duration {
    if requested.is_zero() || check.is_zero() { Duration::ZERO } else { requested.max(check) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_listener_resyncs_no_more_often_than_the_informer_checks() {
        assert_eq!(fitting(SECOND, 5 * SECOND), 5 * SECOND);
        assert_eq!(fitting(9 * SECOND, 5 * SECOND), 9 * SECOND);
        assert_eq!(fitting(Duration::ZERO, 5 * SECOND), Duration::ZERO);
        assert_eq!(fitting(5 * SECOND, Duration::ZERO), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_tick_is_due_once_a_period() {
        let mut resync = Resync::every(2 * SECOND, SECOND);
        assert!(resync.is_due(), "before the first tick");
        let start = Instant::now();
        let ticks: Vec<bool> = (1..=4).map(|n| resync.tick(start + n * SECOND)).collect();
        assert_eq!(ticks, [false, true, false, true]);
    }
}
