//! Reflector: list and watch into a DeltaFIFO, with and without known objects.
//!
//! Traces: `fixtures/traces/reflector.txt`, `fixtures/traces/reflector-known-objects.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{name, phase, style};
use crate::cache::{Delta, DeltaFifo, Deltas, Error, ListWatch, Reflector, Store, meta_namespace_key};
use crate::lab::Lab;

/// Is the DeltaFIFO given a store of known objects?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownObjects {
    /// No: a deletion of a key that is not queued is dropped.
    No,
    /// Yes, one that the pop loop keeps up to date.
    Yes,
}

/// Runs a Reflector into a DeltaFIFO and prints what is popped.
pub async fn run(lab: &Lab, known_objects: KnownObjects) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>).observer(lab.observer()));
    let mut queue = DeltaFifo::new(meta_namespace_key::<Pod>).observer(lab.observer());
    if known_objects == KnownObjects::Yes {
        queue = queue.known_objects(store.clone());
    }
    let queue = Arc::new(queue);
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));
    explain(lab, known_objects);

    let fill = async {
        reflector.run(lab.stop()).await;
        queue.close();
    };
    let empty = async {
        let mut scheduler = lab.moment();
        while let Ok(stored) = scheduler.late(queue.pop(|deltas, _| show_and_store(lab, &store, deltas))).await {
            stored?;
        }
        anyhow::Ok(())
    };
    tokio::join!(fill, empty).1
}

fn show_and_store(lab: &Lab, store: &Store<Pod>, deltas: Deltas<Pod>) -> Result<(), Error> {
    for delta in deltas {
        if let Some(pod) = delta.object() {
            lab.line(style(&delta), format!("{} : {} : {}", delta.kind(), name(pod), phase(pod)));
        }
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) | Delta::Added(pod) => store.add(pod)?,
            Delta::Updated(pod) => store.update(pod)?,
            Delta::Deleted(deletion) => store.delete(deletion)?,
        }
    }
    Ok(())
}

fn explain(lab: &Lab, known_objects: KnownObjects) {
    match known_objects {
        KnownObjects::Yes => lab.tell(
            "the store is the queue's known objects, so the queue knows that a deletion is news",
            "store 就是队列的 KnownObjects，队列因此知道删除是新事件",
        ),
        KnownObjects::No => lab.tell(
            "without known objects DeltaFIFO drops a deletion whose key is not queued: it may have been reported before. \
             Only if the last Updated is still queued when the deletion comes, about once in a hundred runs, does Deleted come out",
            "没有 KnownObjects 时，如果 key 不在队列里，DeltaFIFO 会丢弃删除事件：它可能已经报告过。\
             只有删除到来时最后一个 Updated 还没取出（约百分之一），才会出现 Deleted",
        ),
    }
}
