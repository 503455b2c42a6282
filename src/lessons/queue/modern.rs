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
    lab.narrate("a key that has no queued change", "一个在队列里没有任何变化的 key");
    lab.print(Style::Deleted, "Delete(Obj2)");
    queue.delete(obj("Obj2"))?;
    draw(lab, &queue);
    lab.narrate(
        "the consumer pops this item, and delivers all objects of its own store again",
        "轮到这一项出队时，消费者把自己 store 里的对象再派发一遍",
    );
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
