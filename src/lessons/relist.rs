//! Relist: the watch misses a deletion, the next list reveals it, and it arrives as a tombstone.
//!
//! Chapter: `lessons/relist.md`. Traces: `fixtures/traces/relist*.txt`.

mod cable;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::go;
use super::pods::{name, shown, style};
use super::queues::queue;
use super::reflector::KnownObjects;
use crate::lab::Era;
use crate::lab::Lab;
use crate::trace::Style;
use cable::{Cable, Through};
use kube_informers::cache::{
    Deletion, Delta, Deltas, HandlerFuncs, ListOptions, ListWatch, ListerWatcher, Reflector, Store, meta_namespace_key,
    process_deltas,
};

/// Watches the pods through a cable that is unplugged when a deletion begins, and plugged in again when the pod is
/// gone.
pub async fn run(lab: &Lab, known_objects: KnownObjects) -> Result<()> {
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>).observer(lab.observer()));
    let queue = queue(lab, (known_objects == KnownObjects::Yes).then(|| store.clone()));
    let cable = Cable::default();
    let pods = || ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let reflector = lab.reflector(Reflector::new(Through::new(&cable, pods()), queue.clone()));

    let fill = async {
        reflector.run(lab.stop()).await;
        queue.close();
        Ok(())
    };
    let empty = async {
        let told = lab.clone();
        let mut handler = HandlerFuncs::new().delete_func(move |deletion| on_delete(&told, &deletion));
        let mut handle = |deltas: Deltas<Pod>, initial| {
            for delta in &deltas {
                lab.print(style(delta), shown(delta));
                if let Delta::Updated(pod) = delta
                    && pod.metadata.deletion_timestamp.is_some()
                {
                    cable.pull(&pod.metadata);
                }
            }
            Ok(process_deltas(&store, deltas, initial, &mut |change| change.deliver(&mut handler))?)
        };
        while let Ok(handled) = queue.pop_with(&mut handle).await {
            handled.map_err(anyhow::Error::from_boxed)?;
        }
        anyhow::Ok(())
    };
    let gaps = async { lab.stop().run_until_cancelled(mend(lab, &cable, pods())).await.unwrap_or(Ok(())) };
    futures::try_join!(fill, empty, gaps)?;

    if !queue.has_synced() {
        return Ok(()); // the run ended before the first list
    }
    let left: BTreeSet<String> = store.list().iter().map(|pod| name(pod).to_owned()).collect();
    lab.print(Style::Plain, format_args!("store : {}", go::slice(left)));
    explain(lab, known_objects);
    Ok(())
}

/// Plugs the cable in each time that the deleted pod is gone from the server.
async fn mend(lab: &Lab, cable: &Cable, pods: ListWatch<Pod>) -> Result<()> {
    loop {
        let going = cable.pulled().await;
        lab.narrate(
            "the network is gone; what happens now, no watch tells",
            "网络断了；现在发生的事，没有 watch 会告诉",
        );
        let mut by_name = ListOptions::default();
        by_name.field_selector = Some(format!("metadata.name={}", going.name));
        loop {
            sleep(Duration::from_secs(1)).await;
            let found = pods.list(by_name.clone()).await?.items;
            if !found.iter().any(|pod| pod.metadata.uid == going.uid) {
                break;
            }
        }
        lab.narrate(
            &format!("{} is gone, and so is the outage; the Reflector lists again", going.name),
            &format!("{} 已经没了，网络恢复了；Reflector 重新 list", going.name),
        );
        cable.plug_in();
    }
}

fn on_delete(lab: &Lab, deletion: &Deletion<Pod>) {
    let text = match deletion {
        Deletion::Final(pod) => format!("  OnDelete: {}", name(pod)),
        Deletion::FinalStateUnknown { key, last_known } => {
            let version = last_known.as_ref().and_then(|pod| pod.metadata.resource_version.clone()).unwrap_or_default();
            format!("  OnDelete: DeletedFinalStateUnknown{{{key}, last seen at {version}}}")
        }
    };
    lab.print(Style::Deleted, text);
}

fn explain(lab: &Lab, known_objects: KnownObjects) {
    match (lab.era(), known_objects) {
        (Era::Classic, KnownObjects::Yes) => lab.narrate(
            "the queue compared the list with its known objects and made up the deletion: final state unknown",
            "队列把 list 和 KnownObjects 比较，补上了这次删除：最终状态未知",
        ),
        (Era::Classic, KnownObjects::No) => lab.narrate(
            "without known objects nobody compares the list with the store: the pod stays in it for ever",
            "没有 KnownObjects，就没有人拿 list 和 store 比较：这个 Pod 永远留在 store 里",
        ),
        (Era::Modern, KnownObjects::Yes) => lab.narrate(
            "the queue compared the list with its known objects: deletions first, then what is listed",
            "队列把 list 和 KnownObjects 比较：先是删除，然后是 list 里的对象",
        ),
        (Era::Modern, KnownObjects::No) => lab.narrate(
            "the list came whole, and the consumer compared it with its store: nobody has to give the queue known objects",
            "list 整个交付，由消费者和自己的 store 比较：不必再给队列 KnownObjects",
        ),
    }
}
