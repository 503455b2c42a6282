//! ResyncSchedule: decides when a resync is due for one listener. The informer resyncs for all listeners together, but
//! each handler may ask for a period of its own, so not every resync goes to every handler. Upstream:
//! `processorListener`'s resync fields and `determineResyncPeriod` in `tools/cache/shared_informer.go`.

use std::time::Duration;

use tokio::time::Instant;

/// The shortest resync period of a handler, as upstream (`minimumResyncPeriod`).
pub(crate) const MINIMUM_RESYNC_PERIOD: Duration = Duration::from_secs(1);

/// The resyncs of one listener. `tick` runs in each check period of the informer.
#[derive(Debug)]
pub(crate) struct ResyncSchedule {
    /// The period that the handler asked for.
    requested: Duration,
    /// The requested period, adapted to the informer's check period; zero means never.
    period: Duration,
    /// The time of the next resync; `None` if an `Instant` cannot express it.
    due_at: Option<Instant>,
    /// True if the listener gets the updates of unchanged objects until the next tick. True before the first tick, as
    /// upstream.
    due: bool,
}

impl ResyncSchedule {
    pub fn never() -> Self {
        Self::every(Duration::ZERO, Duration::ZERO)
    }

    /// Makes the schedule of a listener that requested a period, in an informer that checks for due resyncs once per
    /// `check`.
    pub fn every(requested: Duration, check: Duration) -> Self {
        let period = effective_period(requested, check);
        Self { requested, period, due_at: Instant::now().checked_add(period), due: true }
    }

    /// Adapts the period to another check period. The time of the next resync does not change.
    pub fn adapt_to(&mut self, check: Duration) {
        self.period = effective_period(self.requested, check);
    }

    /// Returns true if the resync is due now, and then starts the next period.
    pub fn tick(&mut self, now: Instant) -> bool {
        self.due = !self.period.is_zero() && self.due_at.is_some_and(|due_at| now >= due_at);
        if self.due {
            self.due_at = now.checked_add(self.period);
        }
        self.due
    }

    /// Makes the resync due until the next tick, whatever the period.
    pub fn make_due(&mut self) {
        self.due = true;
    }

    pub fn is_due(&self) -> bool {
        self.due
    }
}

/// The requested period, but at least the check period; zero if either is zero, because then the listener never
/// resyncs.
fn effective_period(requested: Duration, check: Duration) -> Duration {
    if requested.is_zero() || check.is_zero() { Duration::ZERO } else { requested.max(check) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_listener_resyncs_no_more_often_than_the_informer_checks() {
        assert_eq!(effective_period(SECOND, 5 * SECOND), 5 * SECOND);
        assert_eq!(effective_period(9 * SECOND, 5 * SECOND), 9 * SECOND);
        assert_eq!(effective_period(Duration::ZERO, 5 * SECOND), Duration::ZERO);
        assert_eq!(effective_period(5 * SECOND, Duration::ZERO), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_resync_is_due_once_in_each_period() {
        let mut resync = ResyncSchedule::every(2 * SECOND, SECOND);
        assert!(resync.is_due(), "before the first tick");
        let start = Instant::now();
        let ticks: Vec<bool> = (1..=4).map(|n| resync.tick(start + n * SECOND)).collect();
        assert_eq!(ticks, [false, true, false, true]);
    }
}
