//! Periods: the durations of an election, and the constraints between them, without which two candidates could lead at
//! once. The elector checks them before it runs. Upstream: `LeaderElectionConfig`.

use std::time::Duration;

use super::error::InvalidElection;

/// The largest random addition to a pause, as a factor of the retry period. Upstream: `JitterFactor`.
const JITTER: f64 = 1.2;

#[derive(Clone, Debug)]
pub(super) struct Periods {
    /// The time for which candidates wait without a change of the record before they take the lease.
    pub(super) lease_duration: Duration,
    /// The time for which the leader continues without a renewal.
    pub(super) renew_deadline: Duration,
    /// The pause between two tries.
    pub(super) retry_period: Duration,
    /// The time for which the leader's work may continue after the stop.
    pub(super) grace_period: Duration,
}

impl Default for Periods {
    fn default() -> Self {
        Self {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
            grace_period: Duration::ZERO,
        }
    }
}

impl Periods {
    /// Checks the constraints between the durations, without which two candidates could lead at once.
    pub(super) fn check(&self) -> Result<(), InvalidElection> {
        let Self { lease_duration, renew_deadline, retry_period, grace_period: _ } = *self;
        if lease_duration <= renew_deadline {
            return Err(InvalidElection::LeaseDuration { lease_duration, renew_deadline });
        }
        if renew_deadline <= retry_period.mul_f64(JITTER) {
            return Err(InvalidElection::RenewDeadline { renew_deadline, retry_period });
        }
        if retry_period.is_zero() {
            return Err(InvalidElection::RetryPeriod);
        }
        Ok(())
    }

    /// Returns the time limit of one request. It is half of the renew deadline, so that a dead connection costs one try
    /// but not the leadership.
    pub(super) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// Returns the pause of a candidate that does not lead: the retry period with a random addition.
    pub(super) fn jittered(&self, random: &mut fastrand::Rng) -> Duration {
        self.retry_period.mul_f64(1.0 + JITTER * random.f64())
    }

    /// Returns the lease duration in seconds. It is rounded up, because other candidates must not wait for less than
    /// the real duration.
    pub(super) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_secs() + u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lease_duration_in_the_record_is_rounded_up_to_seconds() {
        let seconds = |millis| Periods { lease_duration: Duration::from_millis(millis), ..Periods::default() };
        assert_eq!(seconds(15_000).lease_seconds(), 15);
        assert_eq!(seconds(15_001).lease_seconds(), 16);
        assert_eq!(seconds(200).lease_seconds(), 1);
    }

    #[test]
    fn a_pause_is_between_one_and_two_point_two_retry_periods() {
        let (periods, mut random) = (Periods::default(), fastrand::Rng::with_seed(1));
        for _ in 0..1000 {
            let pause = periods.jittered(&mut random);
            assert!(pause >= Duration::from_secs(2) && pause < Duration::from_millis(4401), "{pause:?}");
        }
    }
}
