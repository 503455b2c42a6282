//! The tutorials' `WatchDog`: an informer built by hand from ListWatch, Reflector, DeltaFIFO, Store and one handler.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use kube_informers::cache::{Delta, DeltaFifo, Deltas, Error, EventHandler, InitialList};
use kube_informers::cache::{ListWatch, Reflector, Store, meta_namespace_key};

// ANCHOR: watch_dog
/// An informer of pods with one handler.
pub(super) struct WatchDog<H> {
    reflector: Reflector<Pod>,
    fifo: Arc<DeltaFifo<Pod>>,
    store: Arc<Store<Pod>>,
    handler: H,
}

impl<H: EventHandler<Pod>> WatchDog<H> {
    pub(super) fn new(lab: &Lab, pods: ListWatch<Pod>, handler: H) -> Self {
        let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
        let fifo = Arc::new(DeltaFifo::new(meta_namespace_key).known_objects(store.clone()).observer(lab.observer()));
        let reflector = lab.reflector(Reflector::new(pods, fifo.clone()));
        Self { reflector, fifo, store, handler }
    }

    pub(super) async fn run(mut self, lab: &Lab) -> Result<()> {
        let reflect = async {
            self.reflector.run(lab.stop()).await;
            self.fifo.close();
        };
        let pop = async {
            while let Ok(handled) = self.fifo.pop(|deltas, _| handle(&self.store, &mut self.handler, deltas)).await {
                handled?;
            }
            Ok(())
        };
        join!(reflect, pop).1
    }
}

/// Changes the store first, so that the handler never finds an older state there.
pub(super) fn handle(store: &Store<Pod>, h: &mut impl EventHandler<Pod>, deltas: Deltas<Pod>) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) => {
                store.add(pod.clone())?;
                h.on_add(pod, InitialList::Yes);
            }
            Delta::Added(pod) => {
                store.add(pod.clone())?;
                h.on_add(pod, InitialList::No);
            }
            Delta::Updated(pod) => {
                if let Some(old) = store.get(&pod)? {
                    store.update(pod.clone())?;
                    h.on_update(old, pod);
                }
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                h.on_delete(deletion);
            }
            _ => {} // only a queue without known objects makes others
        }
    }
    Ok(())
}
// ANCHOR_END: watch_dog
