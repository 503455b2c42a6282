//! Reflector: lists and watches into a DeltaFIFO, with and without known objects.
//!
//! Chapter: `lessons/reflector.md`. Traces: `fixtures/traces/reflector*.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{shown, style};
use super::queues::queue;
use crate::lab::Era;
use crate::lab::Lab;
use kube_informers::cache::{Delta, Deltas, Error, ListWatch, Reflector, Store, meta_namespace_key};

/// Whether the DeltaFIFO gets a store as its known objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownObjects {
    /// No: it drops the deletion of a key that is not queued.
    No,
    /// Yes, a store that the pop loop keeps up to date.
    Yes,
}

/// Runs a Reflector into a DeltaFIFO and prints what is popped.
pub async fn run(lab: &Lab, known_objects: KnownObjects) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>).observer(lab.observer()));
    let queue = queue(lab, (known_objects == KnownObjects::Yes).then(|| store.clone()));
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));

    let fill = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let empty = async {
        let mut scheduler = lab.race();
        let mut deleted = false;
        let mut handle = |deltas, _| {
            deleted |= show_and_store(lab, &store, deltas)?;
            Ok(())
        };
        while let Ok(handled) = scheduler.stall(queue.pop_with(&mut handle)).await {
            handled.map_err(anyhow::Error::from_boxed)?;
        }
        anyhow::Ok(deleted)
    };
    let deleted = futures::try_join!(fill, empty)?.1;
    explain(lab, known_objects, deleted);
    Ok(())
}

/// Prints the popped deltas and applies them to the store; returns whether a deletion was among them.
fn show_and_store(lab: &Lab, store: &Store<Pod>, deltas: Deltas<Pod>) -> Result<bool, Error> {
    let deleted = deltas.iter().any(|delta| matches!(delta, Delta::Deleted(_)));
    for delta in deltas {
        lab.print(style(&delta), shown(&delta));
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) | Delta::Added(pod) => store.add(pod)?,
            Delta::Updated(pod) => store.update(pod)?,
            Delta::Deleted(deletion) => store.delete(deletion)?,
            Delta::ReplacedAll { resource_version, objects } => store.replace(objects, &resource_version)?,
            Delta::SyncAll | Delta::Bookmark { .. } => {} // no resync and no bookmarks were asked for
        }
    }
    Ok(deleted)
}

fn explain(lab: &Lab, known_objects: KnownObjects, deleted: bool) {
    match (known_objects, deleted) {
        _ if lab.era() == Era::Modern => lab.narrate(
            "RealFIFO queues every deletion, known or not; known objects only say how a list is told:\n\
             with them object by object, without as one ReplacedAll",
            "RealFIFO 把每个删除都放进队列，不论是否已知；KnownObjects 只决定 list 怎样交付：\n\
             有则逐个对象，没有则是一个 ReplacedAll",
        ),
        (KnownObjects::Yes, _) => lab.narrate(
            "the store is the queue's known objects: it tells the queue that a deletion is news",
            "store 就是队列的 KnownObjects：队列由此知道删除是新事件",
        ),
        (KnownObjects::No, false) => lab.narrate(
            "no Deleted: without known objects DeltaFIFO drops a deletion whose key is not queued,\n\
             since it may have been reported before",
            "没有 Deleted：没有 KnownObjects 时，key 不在队列里的删除事件会被 DeltaFIFO 丢弃，\n因为它可能已经报告过",
        ),
        (KnownObjects::No, true) => lab.narrate(
            "Deleted came out although there are no known objects: the last Updated was still queued when\n\
             the deletion came. About one run in a hundred goes like this",
            "没有 KnownObjects 却出现了 Deleted：删除到来时，最后一个 Updated 还在队列里。\n大约一百次里有一次",
        ),
    }
}
