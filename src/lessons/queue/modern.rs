//! Lesson `queue --era modern`: draws a RealFIFO's items after every operation. A RealFIFO is one log of changes,
//! without keys.
//!
//! Trace: `fixtures/traces/queue-modern.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::drawing::{delta, draw_items, shown};
use super::{key, obj};
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::RealFifo;

// ANCHOR: modern
/// Makes the same changes as [`super::run`].
pub async fn run(lab: &Lab) -> Result<()> {
    let queue = RealFifo::atomic(key).observer(lab.observer());

    lab.print(Style::Added, "Add(Obj1)");
    queue.add(obj("Obj1"))?;
    draw(lab, &queue);
    lab.narrate("the same key again", "同一个 key 再来一次");
    lab.print(Style::Updated, "Update(Obj1)");
    queue.update(obj("Obj1"))?;
    draw(lab, &queue);
    lab.narrate("a key of which nothing is queued", "队列里没有它任何变化的 key");
    lab.print(Style::Deleted, "Delete(Obj2)");
    queue.delete(obj("Obj2"))?;
    draw(lab, &queue);
    lab.narrate("the consumer is to repeat its store when it gets there", "消费者轮到它时，再派发一遍自己的 store");
    lab.print(Style::Synced, "Resync()");
    queue.resync()?;
    draw(lab, &queue);
    lab.print(Style::Updated, "Update(Obj3)");
    queue.update(obj("Obj3"))?;
    draw(lab, &queue);
    lab.print(Style::Deleted, "Delete(Obj3)");
    queue.delete(obj("Obj3"))?;
    draw(lab, &queue);

    lab.print(Style::Plain, "Pop()");
    let popped = queue.pop(|deltas, _| shown(&deltas)).await?;
    lab.narrate(&format!("popped: {popped}"), &format!("取出：{popped}"));
    draw(lab, &queue);
    Ok(())
}

fn draw(lab: &Lab, queue: &RealFifo<Pod>) {
    draw_items(lab, &queue.list().iter().map(delta).collect::<Vec<_>>());
}
// ANCHOR_END: modern
