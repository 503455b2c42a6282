//! Lesson `relist`: the watch misses a deletion, and the next list lacks the pod. Without known objects the queue does
//! not detect the deletion.
//!
//! [`known_objects`] does the same with known objects, [`modern`] with RealFIFO. The three differ in the queue only;
//! the rest is in `watching.rs`.
//!
//! Chapter: `lessons/19-relist`. Trace: `fixtures/traces/relist.txt`.

mod consumer;
pub mod known_objects;
pub mod modern;
mod outage;
mod watching;

use anyhow::Result;

use crate::lab::Lab;
use kube_informers::cache::{DeltaFifo, Store, meta_namespace_key};
use watching::watch;

// ANCHOR: relist
/// Watches the pods with a queue that has no access to the store.
pub async fn run(lab: &Lab) -> Result<()> {
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = DeltaFifo::new(meta_namespace_key).observer(lab.observer());
    watch(lab, &store, queue).await
}
// ANCHOR_END: relist
