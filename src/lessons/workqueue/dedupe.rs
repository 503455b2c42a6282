//! Lesson `workqueue --act dedupe`: client-go's `Interface` queues an item once, even if it is added several times, and
//! gives it to one worker at a time.
//!
//! Trace: `fixtures/traces/workqueue-dedupe.txt`.

use anyhow::Result;

use super::clock::Clock;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::workqueue::WorkQueue;

// ANCHOR: dedupe
/// Adds an item three times, and once more while a worker has it.
pub async fn run(lab: &Lab) -> Result<()> {
    let clock = Clock::begin(lab, "act 1, Interface: an item is queued once", "第一幕 Interface：一个元素只排队一次");
    let queue = WorkQueue::builder().observer(lab.work_observer()).build();
    for item in ["a", "b", "a", "a"] {
        queue.add(item);
        clock.print(Style::Added, format_args!("add {item}: {} queued", queue.len()));
    }
    let a = queue.get().await;
    clock.got(a.as_deref());
    queue.add("a");
    clock.print(Style::Added, format_args!("add a, which a worker has: {} queued", queue.len()));
    clock.got(queue.get().await.as_deref());
    drop(a); // client-go's Done
    clock.print(Style::Plain, format_args!("done a: {} queued", queue.len()));
    clock.got(queue.get().await.as_deref());
    Ok(())
}
// ANCHOR_END: dedupe
