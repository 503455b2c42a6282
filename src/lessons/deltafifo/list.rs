//! Lesson `deltafifo --step list`: adds three pods, and lists the queue.
//!
//! Trace: `fixtures/traces/deltafifo-list.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::go;
use crate::trace::Style;
use kube_informers::cache::DeltaFifo;

// ANCHOR: list
/// Adds three pods and lists them.
pub async fn run(lab: &Lab) -> Result<()> {
    let queue = DeltaFifo::new(pod_key).observer(lab.observer());
    lab.narrate("Add(pod1) Add(pod2) Add(pod3)", "Add(pod1) Add(pod2) Add(pod3)");
    queue.add(Pod::new("pod1", 1.0))?;
    queue.add(Pod::new("pod2", 2.0))?;
    queue.add(Pod::new("pod3", 3.0))?;

    lab.narrate("List: the newest state of each key", "List：每个 key 的最新状态");
    lab.print(Style::Plain, go::slice(queue.list()));
    Ok(())
}
// ANCHOR_END: list
