//! Lesson `workqueue --act rate-limit`: client-go's `RateLimitingInterface` lets a failed item wait longer after each
//! failure, separately for each item.
//!
//! Trace: `fixtures/traces/workqueue-rate-limit.txt`.

use std::time::Duration;

use anyhow::Result;

use super::clock::Clock;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::workqueue::{Exponential, WorkQueue};

// ANCHOR: rate_limit
/// Lets `a` fail three times and `b` once before they succeed.
pub async fn run(lab: &Lab) -> Result<()> {
    let clock = Clock::begin(
        lab,
        "act 3, RateLimitingInterface: 5 ms, then twice as long each time",
        "第三幕 RateLimitingInterface：先 5 毫秒，以后每次加倍",
    );
    let limiter = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000));
    let queue = WorkQueue::builder().limiter(limiter).observer(lab.work_observer()).build();
    queue.add("a");
    queue.add("b");
    clock.print(Style::Added, "add a, add b");
    for _ in 0..6 {
        let Some(item) = queue.get().await else { break };
        clock.got(Some(&item));
        let (name, failures) = (*item, queue.retries(&item));
        if (name, failures) == ("b", 1) || (name, failures) == ("a", 3) {
            item.forget();
            clock.print(Style::Deleted, format_args!("{name} succeeds: forget its failures"));
        } else {
            item.retry();
            clock.print(Style::Updated, format_args!("{name} fails, number {}", queue.retries(&name)));
        }
    }
    queue.add_rate_limited("a");
    clock.print(Style::Updated, format_args!("a fails, number {}", queue.retries(&"a")));
    clock.got(queue.get().await.as_deref());
    Ok(())
}
// ANCHOR_END: rate_limit
