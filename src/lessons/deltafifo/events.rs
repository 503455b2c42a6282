//! Lesson `deltafifo --step events`: a pod is added, updated and deleted before it is popped, and one pop returns all
//! three deltas.
//!
//! Trace: `fixtures/traces/deltafifo-events.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::pods::style;
use kube_informers::cache::DeltaFifo;

// ANCHOR: events
/// Adds three pods, updates and deletes the first, and pops it.
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

    lab.narrate("Pop", "Pop");
    let popped = queue.pop(|deltas, _| {
        for delta in &deltas {
            let Some(pod) = delta.object() else { continue };
            lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
        }
    });
    Ok(popped.await?)
}
// ANCHOR_END: events
