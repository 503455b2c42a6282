//! Lesson `resync`: known objects are delivered again as `Sync`, and a handler returns early if nothing has changed.
//!
//! [`modern`] does the same with RealFIFO. Chapter: `lessons/18-resync`. Trace: `fixtures/traces/resync.txt`.

mod handler;
pub mod modern;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{name, style};
use crate::lab::Lab;
use handler::ResyncHandler;
use kube_informers::cache::{
    Delta, DeltaFifo, Deltas, Error, InitialList, ListWatch, Reflector, Store, meta_namespace_key, process_deltas,
};

// ANCHOR: resync
/// Watches the pods with a resync every two seconds.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = DeltaFifo::new(meta_namespace_key).known_objects(store.clone());
    let queue = Arc::new(queue.observer(lab.observer()));
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

/// Prints the deltas, stores them, and calls the handler. A delta of an object in the store is an update.
fn show_and_handle(lab: &Lab, store: &Store<Pod>, deltas: Deltas<Pod>, initial: InitialList) -> Result<(), Error> {
    for delta in &deltas {
        lab.print(style(delta), shown(delta));
    }
    let mut handler = ResyncHandler(lab.clone());
    process_deltas(store, deltas, initial, &mut |change| change.deliver(&mut handler))
}

fn shown(delta: &Delta<Pod>) -> String {
    delta.object().map_or_else(|| delta.kind().to_owned(), |pod| format!("{} : {}", delta.kind(), name(pod)))
}
// ANCHOR_END: resync
