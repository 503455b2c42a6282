//! Back-off: how long to wait before the next try. Upstream: the backoff manager of `tools/cache/reflector.go`.

use std::time::Duration;

use tokio::time::{Instant, sleep};

const FIRST: Duration = Duration::from_millis(800);
const CAP: Duration = Duration::from_secs(30);
const HEALTHY: Duration = Duration::from_secs(120);

/// Doubles from 0.8 s to 30 s, each wait made longer by up to its own length. Starts over when two minutes have passed
/// since it last did.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    since: Instant,
    random: fastrand::Rng,
}

impl Backoff {
    pub fn new(random: fastrand::Rng) -> Self {
        Self { next: FIRST, since: Instant::now(), random }
    }

    pub async fn wait(&mut self) {
        sleep(self.step()).await;
    }

    fn step(&mut self) -> Duration {
        let now = Instant::now();
        if now - self.since > HEALTHY {
            self.next = FIRST;
            self.since = now;
        }
        let step = self.next.mul_f64(1.0 + self.random.f64());
        self.next = (self.next * 2).min(CAP);
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_waits_double_up_to_half_a_minute_and_start_over_after_two() {
        let mut backoff = Backoff::new(fastrand::Rng::with_seed(1));
        for least in [0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 30.0] {
            let step = backoff.step().as_secs_f64();
            assert!((least..2.0 * least).contains(&step), "{step} after {least}");
        }
        tokio::time::advance(HEALTHY + Duration::from_secs(1)).await;
        assert!(backoff.step() < 2 * FIRST);
    }
}
