//! What several tests need.

pub mod api;
pub mod protobuf;

use std::time::Duration;

/// Lets so many seconds pass, in virtual time.
pub async fn seconds(count: u64) {
    tokio::time::sleep(Duration::from_secs(count)).await;
}
