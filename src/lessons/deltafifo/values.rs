//! Lesson `deltafifo` (its main row, the last of the tutorials' five programs): prints the value of each delta's
//! object. A delta has the state after its change; older states are in the Indexer.
//!
//! This program is from another document than [`super::callbacks`], so its word for an update is 修改 and not 更新.
//!
//! Trace: `fixtures/traces/deltafifo.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::go;
use crate::lessons::pods::style;
use kube_informers::cache::{Delta, DeltaFifo};

// ANCHOR: values
/// Adds three pods, updates and deletes the first, pops it, and shows the value in each delta.
pub async fn run(lab: &Lab) -> Result<()> {
    let queue = DeltaFifo::new(pod_key).observer(lab.observer());
    lab.narrate("Add(pod1) Add(pod2) Add(pod3)", "Add(pod1) Add(pod2) Add(pod3)");
    let mut pod1 = Pod::new("pod1", 1.0);
    queue.add(pod1.clone())?;
    queue.add(Pod::new("pod2", 2.0))?;
    queue.add(Pod::new("pod3", 3.0))?;
    lab.narrate("pod1.Value = 1.1: Update(pod1) Delete(pod1)", "pod1.Value = 1.1：Update(pod1) Delete(pod1)");
    pod1.value = 1.1;
    queue.update(pod1.clone())?;
    queue.delete(pod1)?;

    lab.narrate(
        "Pop, with a callback for each delta. It prints the tutorial's own words: 执行新增回调, run the callback of an addition (修改 of a \
         change, 删除 of a deletion)",
        "Pop，并为每个 Delta 调用回调",
    );
    let popped = queue.pop(|deltas, _| {
        for delta in &deltas {
            let Some(pod) = delta.object() else { continue };
            lab.print(style(delta), format_args!("{} {}  value: {}", delta.kind(), pod.name, pod.value));
            match delta {
                Delta::Added(_) => lab.print(style(delta), "执行新增回调"),
                Delta::Updated(_) => lab.print(style(delta), "执行修改回调"),
                Delta::Deleted(_) => lab.print(style(delta), "执行删除回调"),
                _ => {} // nothing else was queued
            }
        }
    });
    popped.await?;
    lab.narrate(
        &format!("still queued: {}", go::slice(queue.list_keys())),
        &format!("还在队列里：{}", go::slice(queue.list_keys())),
    );
    Ok(())
}
// ANCHOR_END: values
