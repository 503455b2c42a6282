//! Lesson `workqueue`: the workqueue in three acts, one for each layer: [`dedupe`], [`delay`] and [`rate_limit`].
//!
//! Chapter: `lessons/15-workqueue`. Traces: `fixtures/traces/workqueue*.txt`.

mod clock;
pub mod dedupe;
pub mod delay;
pub mod rate_limit;

use anyhow::Result;

use crate::lab::Lab;

/// Runs all acts.
pub async fn run(lab: &Lab) -> Result<()> {
    dedupe::run(lab).await?;
    delay::run(lab).await?;
    rate_limit::run(lab).await
}
