//! Relist: the watch misses a deletion, and the next list does not have the pod. Without known objects nobody notices.
//!
//! With known objects: [`known_objects`]. With RealFIFO: [`modern`].
//!
//! Chapter: `lessons/19-relist`. Trace: `fixtures/traces/relist.txt`.

mod consumer;
pub mod known_objects;
pub mod modern;
mod outage;

use std::sync::Arc;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use consumer::{consume, print_store};
use kube_informers::cache::{DeltaFifo, ListWatch, Reflector, Store, meta_namespace_key};
use outage::Link;

// ANCHOR: relist
/// Watches the pods over a link that breaks when a deletion begins, and works again when the pod is gone.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let link = Link::default();
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = Arc::new(DeltaFifo::new(meta_namespace_key).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(link.over(pods.clone()), queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let pop = async {
        while let Ok(stored) = queue.pop(|deltas, initial| consume(lab, &link, &store, deltas, initial)).await {
            stored?;
        }
        anyhow::Ok(())
    };
    let mend = async { lab.stop().run_until_cancelled(link.mend(lab, &pods)).await.unwrap_or(Ok(())) };
    try_join!(reflect, pop, mend)?;
    if queue.has_synced() {
        print_store(lab, &store);
    }
    Ok(())
}
// ANCHOR_END: relist
