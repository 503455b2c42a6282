//! Lesson `reflector --era modern`: a Reflector with a streaming list, and RealFIFO, which queues every deletion.
//!
//! Traces: `fixtures/traces/reflector*-modern.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use crate::lessons::pods::{shown, style};
use kube_informers::cache::{Delta, Deltas, Error, ListWatch, RealFifo, Reflector, Store, meta_namespace_key};

// ANCHOR: atomic
/// Without known objects: the first list comes as one `ReplacedAll`.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let queue = Arc::new(RealFifo::atomic(meta_namespace_key).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close();
    };
    let pop = async {
        let mut race = lab.race();
        while race.stall(queue.pop(|deltas, _| show(lab, &deltas))).await.is_ok() {}
    };
    join!(reflect, pop);
    Ok(())
}

fn show(lab: &Lab, deltas: &[Delta<Pod>]) {
    for delta in deltas {
        lab.print(style(delta), shown(delta));
    }
}
// ANCHOR_END: atomic

// ANCHOR: known_objects
/// With known objects: the queue compares each list with them, and queues it object by object.
pub async fn known_objects(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let queue = Arc::new(RealFifo::new(meta_namespace_key, store.clone()).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close();
    };
    let pop = async {
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
            Delta::Replaced(pod) | Delta::Added(pod) => store.add(pod)?,
            Delta::Updated(pod) => store.update(pod)?,
            Delta::Deleted(deletion) => store.delete(deletion)?,
            _ => {} // with known objects and without a resync a RealFIFO makes nothing else
        }
    }
    Ok(())
}
// ANCHOR_END: known_objects
