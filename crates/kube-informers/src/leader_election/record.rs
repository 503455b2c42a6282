//! The election record in a Lease: the holder, the lease duration, and the times of acquisition and renewal. A
//! candidate reads it to decide whether it may lead, and writes it when it acquires, renews or releases the lease.
//! Upstream: `LeaderElectionRecord` in `tools/leaderelection/resourcelock/interface.go`.

use std::time::{Duration, SystemTime};

use k8s_openapi::api::coordination::v1::LeaseSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::{Timestamp, TimestampRound, Unit};

/// Returns the holder of the lease; `None` for a released lease, which has an empty holder.
pub(super) fn holder(record: &LeaseSpec) -> Option<&str> {
    record.holder_identity.as_deref().filter(|holder| !holder.is_empty())
}

/// Returns the time for which other candidates must wait; `None` if the record does not have it.
pub(super) fn duration(record: &LeaseSpec) -> Option<Duration> {
    u64::try_from(record.lease_duration_seconds?).ok().map(Duration::from_secs)
}

/// Makes the record of a new lease.
pub(super) fn first(identity: &str, lease_seconds: i32) -> LeaseSpec {
    let now = now_after(None);
    LeaseSpec {
        holder_identity: Some(identity.to_owned()),
        lease_duration_seconds: Some(lease_seconds),
        lease_transitions: Some(0),
        acquire_time: Some(now.clone()),
        renew_time: Some(now),
        ..LeaseSpec::default()
    }
}

/// Sets `identity` as the holder and updates the renew time. A new holder also sets the acquire time and counts a
/// transition.
pub(super) fn hold(record: &mut LeaseSpec, identity: &str, lease_seconds: i32) {
    let now = now_after(record.renew_time.as_ref());
    if holder(record) != Some(identity) {
        record.lease_transitions = Some(record.lease_transitions.unwrap_or_default().saturating_add(1));
        record.holder_identity = Some(identity.to_owned());
        record.acquire_time = Some(now.clone());
    }
    record.lease_duration_seconds = Some(lease_seconds);
    record.renew_time = Some(now);
}

/// Empties the holder, and sets a lease duration of one second, as upstream.
pub(super) fn release(record: &mut LeaseSpec) {
    let now = now_after(record.renew_time.as_ref());
    record.holder_identity = Some(String::new());
    record.lease_duration_seconds = Some(1);
    record.acquire_time = Some(now.clone());
    record.renew_time = Some(now);
}

/// Returns the present time in microseconds. If the record already has this time, adds a microsecond, because other
/// candidates recognise a renewal only by a change.
fn now_after(renewed: Option<&MicroTime>) -> MicroTime {
    time_after(SystemTime::now(), renewed)
}

fn time_after(now: SystemTime, renewed: Option<&MicroTime>) -> MicroTime {
    let micros = TimestampRound::new().smallest(Unit::Microsecond);
    let now = Timestamp::try_from(now).unwrap_or(Timestamp::MAX); // beyond it, `Timestamp::now` would panic
    let now = now.round(micros).unwrap_or(now);
    if renewed.is_some_and(|renewed| renewed.0 == now) {
        return MicroTime(now.saturating_add(Duration::from_micros(1)).unwrap_or(now));
    }
    MicroTime(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renewal_at_the_time_of_the_last_one_is_a_microsecond_later() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_500);
        let first = time_after(now, None);
        assert_eq!(first.0.as_microsecond(), 2);
        assert_eq!(time_after(now, Some(&first)).0.as_microsecond(), 3);
    }

    #[test]
    fn a_clock_beyond_the_year_9999_gives_the_last_time() {
        let in_the_year_12000 = SystemTime::UNIX_EPOCH + Duration::from_secs(316_516_000_000);
        let first = time_after(in_the_year_12000, None);
        assert_eq!(first.0, Timestamp::MAX);
        assert_eq!(time_after(in_the_year_12000, Some(&first)).0, Timestamp::MAX);
    }
}
