//! Lesson `myinformer --era modern`: the informer built by hand, with RealFIFO instead of DeltaFIFO. Only the
//! construction differs.
//!
//! Trace: `fixtures/traces/myinformer-modern.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::PodHandler;
use super::watch_dog::handle;
use crate::lab::Lab;
use kube_informers::cache::{ListWatch, RealFifo, Reflector, Store, meta_namespace_key};

// ANCHOR: modern
/// Watches the pods. The store is RealFIFO's known objects, so a list is queued object by object.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let fifo = Arc::new(RealFifo::new(meta_namespace_key, store.clone()).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, fifo.clone()));
    let mut handler = PodHandler::new(lab);

    let reflect = async {
        reflector.run(lab.stop()).await;
        fifo.close();
    };
    let pop = async {
        while let Ok(handled) = fifo.pop(|deltas, _| handle(&store, &mut handler, deltas)).await {
            handled?;
        }
        Ok(())
    };
    join!(reflect, pop).1
}
// ANCHOR_END: modern
