//! Lesson `deltafifo --step callbacks`: calls a callback for each popped delta, as an informer does. The Chinese
//! words that it prints are the tutorials' (run the callback of an addition, an update, a deletion).
//!
//! Trace: `fixtures/traces/deltafifo-callbacks.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::pods::style;
use kube_informers::cache::{Delta, DeltaFifo};

// ANCHOR: callbacks
/// Adds three pods, updates and deletes the first, pops it, and calls a callback for each delta.
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

    lab.narrate("Pop, with a callback for each delta", "Pop，并为每个 Delta 调用回调");
    let popped = queue.pop(|deltas, _| {
        for delta in &deltas {
            let Some(pod) = delta.object() else { continue };
            lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
            match delta {
                Delta::Added(_) => lab.print(style(delta), "执行新增回调"),
                Delta::Updated(_) => lab.print(style(delta), "执行更新回调"),
                Delta::Deleted(_) => lab.print(style(delta), "执行删除回调"),
                _ => {} // nothing else was queued
            }
        }
    });
    Ok(popped.await?)
}
// ANCHOR_END: callbacks
