//! Helpers that several test files share.

pub mod api;
pub mod authority;
#[cfg(feature = "tls")]
pub mod hook;
pub mod protobuf;

use std::env;
use std::ops::Range;
use std::time::Duration;

/// Lets this many seconds of virtual time pass.
pub async fn seconds(count: u64) {
    tokio::time::sleep(Duration::from_secs(count)).await;
}

/// Returns the seeds of a property test. `cargo test` tries `usual` seeds; the variable `SEEDS` multiplies their number
/// for a longer search (.ci/jobs/seeds).
pub fn seeds(usual: u64) -> Range<u64> {
    0..usual * env::var("SEEDS").map_or(1, |times| times.parse().expect("SEEDS is a number"))
}
