//! Back-off: waits that grow, so that a server that is down is not flooded. Upstream: the backoff manager of
//! `tools/cache/reflector.go`, which has the same figures.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// The first wait, without the random part.
const FIRST: Duration = Duration::from_millis(800);
/// The longest wait, without the random part.
const CAP: Duration = Duration::from_secs(30);
/// The time after which the waits start over.
const HEALTHY: Duration = Duration::from_secs(120);

/// A function from the number of waits so far to the next wait.
pub(crate) type Delay = Arc<dyn Fn(u32) -> Duration + Send + Sync>;

/// An exponential back-off: waits double from 0.8 s to 30 s, each lengthened at random by up to its own length, unless
/// `delay` replaces this rule. The count of waits is reset when more than two minutes have passed since the last reset.
pub(crate) struct Backoff {
    /// The number of waits since the last reset.
    waits: u32,
    /// The time of the last reset.
    since: Instant,
    random: fastrand::Rng,
    delay: Option<Delay>,
}

impl Backoff {
    pub fn new(random: fastrand::Rng, delay: Option<Delay>) -> Self {
        Self { waits: 0, since: Instant::now(), random, delay }
    }

    pub async fn wait(&mut self) {
        sleep(self.step()).await;
    }

    /// Returns the next wait, and counts it.
    fn step(&mut self) -> Duration {
        let now = Instant::now();
        if now - self.since > HEALTHY {
            self.waits = 0;
            self.since = now;
        }
        let waits = self.waits;
        self.waits = waits.saturating_add(1);
        match &self.delay {
            Some(delay) => delay(waits),
            None => FIRST.saturating_mul(2_u32.saturating_pow(waits)).min(CAP).mul_f64(1.0 + self.random.f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_waits_double_up_to_half_a_minute_and_start_over_after_two_minutes() {
        let mut backoff = Backoff::new(fastrand::Rng::with_seed(1), None);
        for least in [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0] {
            let step = backoff.step().as_secs_f64();
            assert!((least..2.0 * least).contains(&step), "{step} after {least}");
        }
        tokio::time::advance(HEALTHY + Duration::from_secs(1)).await;
        assert!(backoff.step() < 2 * FIRST);
    }

    #[tokio::test(start_paused = true)]
    async fn a_custom_delay_gets_the_number_of_waits_which_is_reset_as_well() {
        let seconds: Delay = Arc::new(|waits| Duration::from_secs(waits.into()));
        let mut backoff = Backoff::new(fastrand::Rng::with_seed(1), Some(seconds));
        let steps: Vec<_> = (0..3).map(|_| backoff.step().as_secs()).collect();
        assert_eq!(steps, [0, 1, 2]);
        tokio::time::advance(HEALTHY + Duration::from_secs(1)).await;
        assert_eq!(backoff.step(), Duration::ZERO);
    }
}
