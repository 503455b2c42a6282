//! Relist with RealFIFO.
//!
//! Traces: `fixtures/traces/relist*-modern.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;

use super::consumer::{consume, print_store};
use super::outage::Link;
use crate::lab::Lab;
use kube_informers::cache::{ListWatch, RealFifo, Reflector, Store, meta_namespace_key};

// ANCHOR: atomic
/// Without known objects: the list comes whole, and the consumer compares it with its store.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let link = Link::default();
    let store = Store::new(meta_namespace_key).observer(lab.observer());
    let queue = Arc::new(RealFifo::atomic(meta_namespace_key).observer(lab.observer()));
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
// ANCHOR_END: atomic

// ANCHOR: known_objects
/// With known objects: the queue compares the list with the store, and tells it object by object, deletions first.
pub async fn known_objects(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let link = Link::default();
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = Arc::new(RealFifo::new(meta_namespace_key, store.clone()).observer(lab.observer()));
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
// ANCHOR_END: known_objects
