//! Lesson `relist --known-objects`: the queue compares the list with the store, and makes a tombstone for the missing
//! pod.
//!
//! Chapter: `lessons/19-relist`. Trace: `fixtures/traces/relist-known-objects.txt`.

use std::sync::Arc;

use anyhow::Result;

use super::watching::watch;
use crate::lab::Lab;
use kube_informers::cache::{DeltaFifo, Store, meta_namespace_key};

// ANCHOR: known_objects
/// Watches the pods. The store is the known objects of the queue.
pub async fn run(lab: &Lab) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = DeltaFifo::new(meta_namespace_key).known_objects(store.clone());
    watch(lab, &store, queue.observer(lab.observer())).await
}
// ANCHOR_END: known_objects
