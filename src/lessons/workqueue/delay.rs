//! Lesson `workqueue --act delay`: client-go's `DelayingInterface` adds an item later. Of two times for one item, the
//! earlier counts.
//!
//! Trace: `fixtures/traces/workqueue-delay.txt`.

use std::time::Duration;

use anyhow::Result;

use super::clock::Clock;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::workqueue::WorkQueue;

// ANCHOR: delay
/// Adds four items for later, two of them twice, and gets them.
pub async fn run(lab: &Lab) -> Result<()> {
    let clock =
        Clock::begin(lab, "act 2, DelayingInterface: the clock begins again", "第二幕 DelayingInterface：重新计时");
    let queue = WorkQueue::builder().observer(lab.work_observer()).build();
    for (item, delay) in [("a", 100), ("b", 20), ("c", 80), ("c", 40), ("b", 90), ("d", 0)] {
        queue.add_after(item, Duration::from_millis(delay));
        clock.print(Style::Added, format_args!("add {item} after {delay} ms"));
    }
    for _ in 0..4 {
        clock.got(queue.get().await.as_deref());
    }
    Ok(())
}
// ANCHOR_END: delay
