//! Relist: the watch misses a deletion, and the next list does not have the pod. Without known objects nobody notices.
//!
//! With known objects: [`known_objects`]. With RealFIFO: [`modern`]. They differ in the queue only; `watching.rs` has the rest.
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
/// Watches the pods. The queue knows nothing of the store.
pub async fn run(lab: &Lab) -> Result<()> {
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = DeltaFifo::new(meta_namespace_key).observer(lab.observer());
    watch(lab, &store, queue).await
}
// ANCHOR_END: relist
