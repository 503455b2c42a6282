//! Lesson `shared --step as-published`: the shared informer with the condition that the note on the shenyisyn course
//! published. It never reports an update, and its store keeps the old object.
//!
//! Trace: `fixtures/traces/shared-as-published.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::differences::print_differences;
use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::{Delta, DeltaFifo, Deltas, Error, InitialList, ListWatch, Notification};
use kube_informers::cache::{Reflector, SharedProcessor, Store, meta_namespace_key};

/// Runs the informer, and then compares its store with the API server.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let fifo = Arc::new(DeltaFifo::new(meta_namespace_key).known_objects(store.clone()).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods.clone(), fifo.clone()));
    let processor = SharedProcessor::default().observer(lab.observer());
    processor.add_listener(PodHandler::new(lab, 0, ""));
    processor.add_listener(PodHandler::new(lab, 1, "second"));

    let reflect = async {
        reflector.run(lab.stop()).await;
        fifo.close();
    };
    let pop = async {
        while let Ok(handled) = fifo.pop(|deltas, _| handle_deltas(&store, &processor, deltas)).await {
            handled?;
        }
        anyhow::Ok(())
    };
    let ((), popped, handled) = join!(reflect, pop, processor.run(lab.stop()));
    popped.and(Ok(handled?))?;
    print_differences(lab, &pods, &store).await
}

// ANCHOR: as_published
fn handle_deltas(store: &Store<Pod>, processor: &SharedProcessor<Pod>, deltas: Deltas<Pod>) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Sync(object) | Delta::Added(object) => {
                store.add(object.clone())?;
                processor.distribute(&Notification::Add { object, initial: InitialList::No });
            }
            Delta::Updated(new) => {
                let (old, err) = store.get(&new).map_or_else(|err| (None, Some(err)), |old| (old, None));
                if let Some(old) = old.filter(|_| err.is_some()) {
                    store.update(new.clone())?;
                    processor.distribute(&Notification::Update { old, new });
                }
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                processor.distribute(&Notification::Delete(deletion));
            }
            _ => {} // a DeltaFIFO makes nothing else
        }
    }
    Ok(())
}
// ANCHOR_END: as_published
