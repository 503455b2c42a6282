//! Lesson `deltafifo --step pop`: adds three pods, and pops one key.
//!
//! Trace: `fixtures/traces/deltafifo-pop.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::pods::style;
use kube_informers::cache::DeltaFifo;

// ANCHOR: pop
/// Adds three pods and pops the first.
pub async fn run(lab: &Lab) -> Result<()> {
    let queue = DeltaFifo::new(pod_key).observer(lab.observer());
    lab.narrate("Add(pod1) Add(pod2) Add(pod3)", "Add(pod1) Add(pod2) Add(pod3)");
    queue.add(Pod::new("pod1", 1.0))?;
    queue.add(Pod::new("pod2", 2.0))?;
    queue.add(Pod::new("pod3", 3.0))?;

    lab.narrate("Pop", "Pop");
    let popped = queue.pop(|deltas, _| {
        for delta in &deltas {
            let Some(pod) = delta.object() else { continue };
            lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
        }
    });
    Ok(popped.await?)
}
// ANCHOR_END: pop
