//! Races between tasks that a seed decides instead of the scheduler. A lesson waits a short random time wherever tasks
//! race in Go. The waits are drawn from the run's seed, so the same seed gives the same order of lines.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::sync::Notify;

/// Derives an independent seed for one purpose of a run. Equal arguments give equal seeds, on every machine.
pub fn sub_seed(seed: u64, purpose: &str, n: u64) -> u64 {
    // FNV-1a over the purpose, then splitmix64's finalizer over all three.
    let hash = purpose
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    [hash, n].into_iter().fold(finish(seed), |mixed, part| finish(mixed ^ part))
}

/// splitmix64's step: mixes all bits of the value.
fn finish(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One wake-up in this many is late. With client-go on a live API server, the lesson `reflector` printed `Deleted` for
/// 1 of 180 deletions, and more often on a busy machine.
const ONE_STALL_IN: u8 = 100;

/// The delay of a late wake-up.
const STALL: Duration = Duration::from_millis(2);

/// One task's part in a race: short waits on the run's clock, drawn from a seed.
#[derive(Clone, Debug)]
pub struct Race {
    rng: fastrand::Rng,
    waits: Waits,
}

/// The behaviour of races: with waits from the seed, or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Races wait, and the seed decides the order of events.
    Seeded,
    /// Races do not wait, because a real cluster decides the order.
    Never,
}

impl Race {
    /// Creates a race, independent of races with other seeds.
    pub fn new(seed: u64, waits: Waits) -> Self {
        Self { rng: fastrand::Rng::with_seed(seed), waits }
    }

    /// Waits a random whole number of milliseconds from 0 up to, but not including, `max`.
    pub async fn delay(&mut self, max: Duration) {
        let millis = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
        if millis == 0 || self.waits == Waits::Never {
            return;
        }
        tokio::time::sleep(Duration::from_millis(self.rng.u64(0..millis))).await;
    }

    /// Runs a future as a busy scheduler would: one wake-up in a hundred is two milliseconds late.
    pub async fn stall<F: Future>(&mut self, future: F) -> F::Output {
        if self.waits == Waits::Never {
            return future.await;
        }
        let mut future = pin!(future);
        let alarm = Arc::new(Alarm(Notify::new()));
        let waker = Waker::from(alarm.clone());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            alarm.0.notified().await;
            if self.rng.u8(0..ONE_STALL_IN) == 0 {
                tokio::time::sleep(STALL).await;
            }
        }
    }
}

/// Detects that a future was woken. A poll alone does not show that, because another future of the same task may have
/// caused it.
struct Alarm(Notify);

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_purpose_has_a_seed_of_its_own() {
        let seeds =
            [sub_seed(1, "cluster", 0), sub_seed(1, "moment", 0), sub_seed(1, "moment", 1), sub_seed(2, "moment", 1)];
        for (i, a) in seeds.iter().enumerate() {
            assert!(!seeds[..i].contains(a));
        }
        assert_eq!(sub_seed(1, "moment", 1), sub_seed(1, "moment", 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_delay_is_shorter_than_its_limit_and_the_same_for_the_same_seed() {
        let mut runs = Vec::new();
        for _ in 0..2 {
            let start = tokio::time::Instant::now();
            let mut race = Race::new(7, Waits::Seeded);
            let mut ends = Vec::new();
            for _ in 0..20 {
                let before = tokio::time::Instant::now();
                race.delay(Duration::from_millis(5)).await;
                assert!(before.elapsed() < Duration::from_millis(5));
                ends.push(start.elapsed());
            }
            runs.push(ends);
        }
        assert_eq!(runs[0], runs[1]);
    }

    #[tokio::test(start_paused = true)]
    async fn races_on_a_real_cluster_do_not_wait() {
        let start = tokio::time::Instant::now();
        Race::new(7, Waits::Never).delay(Duration::from_secs(1)).await;
        assert!(start.elapsed().is_zero());
    }
}
