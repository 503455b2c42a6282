//! Lesson `reflector --known-objects`: the pop loop keeps a store, and the queue uses that store as its known objects.
//! The queue looks there to see if a deletion is new, and which objects a relist has removed.
//!
//! Chapter: `lessons/05-known-objects`. Trace: `fixtures/traces/reflector-known-objects.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use crate::lessons::pods::{shown, style};
use kube_informers::cache::{Delta, DeltaFifo, Deltas, Error, ListWatch, Reflector, Store, meta_namespace_key};

// ANCHOR: known_objects
/// Runs a Reflector into a DeltaFIFO, prints what is popped, and stores it.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = DeltaFifo::new(meta_namespace_key).known_objects(store.clone());
    let queue = Arc::new(queue.observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close(); // the loop below ends once the queue is empty
    };
    let pop = async {
        // In Go, the scheduler sometimes wakes the pop loop late, and then two deltas of a pod can come in one pop.
        // `stall` imitates that: one wake-up in a hundred is late.
        let mut race = lab.race();
        while let Ok(stored) = race.stall(queue.pop(|deltas, _| show_and_store(lab, &store, deltas))).await {
            stored?;
        }
        Ok(())
    };
    join!(reflect, pop).1
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
// ANCHOR_END: known_objects
