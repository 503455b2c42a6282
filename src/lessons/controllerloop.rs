//! Lesson `controllerloop`: uses the library's Controller, which is client-go's name for the two halves of an
//! informer: a Reflector that fills a queue, and the loop that empties it.
//!
//! The lesson `reflector --known-objects` builds the same by hand, with the same trace. The loop itself is
//! `cache::Controller::run`.
//!
//! Chapter: `lessons/14-controller-loop`. Trace: `fixtures/traces/reflector-known-objects.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{shown, style};
use crate::lab::Lab;
use kube_informers::cache::{Controller, Delta, DeltaFifo, Deltas, Error, ListWatch, Store, meta_namespace_key};

// ANCHOR: controllerloop
/// Runs a Controller that prints and stores what is popped.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = DeltaFifo::new(meta_namespace_key).known_objects(store.clone()).observer(lab.observer());

    let lab_of_process = lab.clone();
    let process = move |deltas, _| Ok(show_and_store(&lab_of_process, &store, deltas)?);
    let controller = Controller::new(Arc::new(pods), Arc::new(queue), process);
    let controller = controller.with_reflector(|reflector| lab.reflector(reflector));
    controller.run(lab.stop()).await; // fills and empties the queue until the stop
    Ok(())
}

fn show_and_store(lab: &Lab, store: &Store<Pod>, deltas: Deltas<Pod>) -> Result<(), Error> {
    for delta in deltas {
        lab.print(style(&delta), shown(&delta));
        match delta {
            Delta::Sync(pod) | Delta::Added(pod) => store.add(pod)?,
            Delta::Updated(pod) => store.update(pod)?,
            Delta::Deleted(deletion) => store.delete(deletion)?,
            _ => {} // a DeltaFIFO makes nothing else
        }
    }
    Ok(())
}
// ANCHOR_END: controllerloop
