//! Lesson `resync --era modern`: RealFIFO queues one `SyncAll`. When the consumer pops it, the consumer delivers every
//! object of its store again.
//!
//! Trace: `fixtures/traces/resync-modern.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::show_and_handle;
use crate::lab::Lab;
use kube_informers::cache::{ListWatch, RealFifo, Reflector, Store, meta_namespace_key};

// ANCHOR: modern
/// Watches the pods with a resync every two seconds. The queue needs no known objects, because the consumer has the
/// store.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = Arc::new(RealFifo::atomic(meta_namespace_key).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, queue.clone())).resync(Duration::from_secs(2));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close();
    };
    let pop = async {
        while let Ok(handled) = queue.pop(|deltas, initial| show_and_handle(lab, &store, deltas, initial)).await {
            handled?;
        }
        Ok(())
    };
    join!(reflect, pop).1
}
// ANCHOR_END: modern
