//! Lesson `queue`: draws a DeltaFIFO's `queue` and `items` after every operation, as the tutorials do.
//!
//! [`modern`] draws the items of a RealFIFO. Chapter: `lessons/03-deltafifo`. Trace: `fixtures/traces/queue.txt`.

mod drawing;
pub mod modern;

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use drawing::{draw, shown};
use kube_informers::cache::{DeltaFifo, Store};

// ANCHOR: queue
/// Changes three objects, two of which are known objects, and pops once.
pub async fn run(lab: &Lab) -> Result<()> {
    let known = Arc::new(Store::new(key));
    known.add(obj("Obj2"))?;
    known.add(obj("Obj3"))?;
    let queue = DeltaFifo::new(key).known_objects(known).observer(lab.observer());
    lab.narrate("known objects: Obj2 and Obj3", "known objects：Obj2 和 Obj3");

    lab.print(Style::Added, "Add(Obj1)");
    queue.add(obj("Obj1"))?;
    draw(lab, &queue);
    lab.narrate("the same key again", "同一个 key 再来一次");
    lab.print(Style::Updated, "Update(Obj1)");
    queue.update(obj("Obj1"))?;
    draw(lab, &queue);
    lab.narrate("a key that is not queued, but known", "不在队列里、但已知的 key");
    lab.print(Style::Deleted, "Delete(Obj2)");
    queue.delete(obj("Obj2"))?;
    draw(lab, &queue);
    lab.narrate(
        "all known objects again, unless a newer change is queued",
        "所有已知对象再入队一次，除非队列里已有较新的变化",
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

fn key(obj: &Pod) -> String {
    name(obj).replace("Obj", "ObjKey")
}

fn obj(name: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = Some(name.to_owned());
    pod
}
// ANCHOR_END: queue
