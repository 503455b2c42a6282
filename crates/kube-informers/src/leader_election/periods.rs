//! The periods of an election and what must hold between them. Upstream: `LeaderElectionConfig`.

use std::time::Duration;

use super::error::InvalidElection;

/// A candidate's pause between two tries is up to this much longer, as part of the retry period.
const JITTER: f64 = 1.2;

#[derive(Clone, Debug)]
pub(super) struct Periods {
    /// How long candidates wait without a change of the record before they take the lease.
    pub(super) lease_duration: Duration,
    /// How long the leader goes on without a renewal.
    pub(super) renew_deadline: Duration,
    /// The pause between two tries.
    pub(super) retry_period: Duration,
    /// How long the leader's work may go on after the stop.
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

    /// How long one request may take: a connection that went silent costs one try, not the leadership.
    pub(super) fn request_timeout(&self) -> Duration {
        self.renew_deadline / 2
    }

    /// The pause of a candidate before its next try.
    pub(super) fn jittered(&self, random: &mut fastrand::Rng) -> Duration {
        self.retry_period.mul_f64(1.0 + JITTER * random.f64())
    }

    /// The lease duration as the record has it, in whole seconds, rounded up: others wait no less than this candidate wants.
    pub(super) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_secs() + u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_names_a_lease_duration_that_is_not_shorter_than_the_real_one() {
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
