//! Helpers that several test files share.

pub mod api;
pub mod protobuf;

use std::time::Duration;

/// Lets this many seconds of virtual time pass.
pub async fn seconds(count: u64) {
    tokio::time::sleep(Duration::from_secs(count)).await;
}
