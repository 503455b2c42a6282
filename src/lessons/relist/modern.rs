//! Lesson `relist --era modern`: RealFIFO detects a deletion that the watch missed.
//!
//! Traces: `fixtures/traces/relist*-modern.txt`.

use std::sync::Arc;

use anyhow::Result;

use super::watching::watch;
use crate::lab::Lab;
use kube_informers::cache::{RealFifo, Store, meta_namespace_key};

// ANCHOR: atomic
/// Without known objects: the list is queued as a whole, and the consumer compares it with its store.
pub async fn run(lab: &Lab) -> Result<()> {
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = RealFifo::atomic(meta_namespace_key).observer(lab.observer());
    watch(lab, &store, queue).await
}
// ANCHOR_END: atomic

// ANCHOR: known_objects
/// With known objects: the queue compares the list with the store, and queues it object by object, deletions first.
pub async fn known_objects(lab: &Lab) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = RealFifo::new(meta_namespace_key, store.clone());
    watch(lab, &store, queue.observer(lab.observer())).await
}
// ANCHOR_END: known_objects
