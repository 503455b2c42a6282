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

    let fill = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let empty = async {
        let mut scheduler = lab.moment();
        let mut deleted = false;
        while let Ok(stored) = scheduler.late(queue.pop(|deltas, _| show_and_store(lab, &store, deltas))).await {
            deleted |= stored?;
        }
        anyhow::Ok(deleted)
    };
    let deleted = futures::try_join!(fill, empty)?.1;
    explain(lab, known_objects, deleted);
    Ok(())
}

/// Prints what was popped and does the same to the store; says whether a deletion was among it.
fn show_and_store(lab: &Lab, store: &Store<Pod>, deltas: Deltas<Pod>) -> Result<bool, Error> {
    let deleted = deltas.iter().any(|delta| matches!(delta, Delta::Deleted(_)));
    for delta in deltas {
        if let Some(pod) = delta.object() {
            lab.line(style(&delta), format!("{} : {} : {}", delta.kind(), name(pod), phase(pod)));
        }
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) | Delta::Added(pod) => store.add(pod)?,
            Delta::Updated(pod) => store.update(pod)?,
            Delta::Deleted(deletion) => store.delete(deletion)?,
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => {} // RealFIFO's
        }
    }
    Ok(deleted)
}

fn explain(lab: &Lab, known_objects: KnownObjects, deleted: bool) {
    match (known_objects, deleted) {
        (KnownObjects::Yes, _) => lab.tell(
            "the store is the queue's known objects: it tells the queue that a deletion is news",
            "store 就是队列的 KnownObjects：队列由此知道删除是新事件",
        ),
        (KnownObjects::No, false) => lab.tell(
            "no Deleted: without known objects DeltaFIFO drops a deletion whose key is not queued,\n\
             since it may have been reported before",
            "没有 Deleted：没有 KnownObjects 时，key 不在队列里的删除事件会被 DeltaFIFO 丢弃，\n因为它可能已经报告过",
        ),
        (KnownObjects::No, true) => lab.tell(
            "Deleted came out although there are no known objects: the last Updated was still queued when\n\
             the deletion came. About one run in a hundred goes like this",
            "没有 KnownObjects 却出现了 Deleted：删除到来时，最后一个 Updated 还在队列里。\n大约一百次里有一次",
        ),
    }
}
