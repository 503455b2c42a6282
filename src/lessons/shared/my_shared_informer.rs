//! The tutorials' `MySharedInformer`: a shared informer built by hand from processor, Reflector, DeltaFIFO and store,
//! with the loop between them.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::{Delta, DeltaFifo, Deltas, Error, InitialList, ListWatch, Notification};
use kube_informers::cache::{Reflector, SharedProcessor, Store, meta_namespace_key};

// ANCHOR: my_shared_informer
/// An informer of pods with any number of handlers, over a store of the caller's.
pub(in crate::lessons) struct MySharedInformer {
    processor: SharedProcessor<Pod>,
    reflector: Reflector<Pod>,
    pub(in crate::lessons) fifo: Arc<DeltaFifo<Pod>>,
    store: Arc<Store<Pod>>,
}

impl MySharedInformer {
    pub(in crate::lessons) fn new(lab: &Lab, pods: ListWatch<Pod>, store: Arc<Store<Pod>>) -> Self {
        let fifo = Arc::new(DeltaFifo::new(meta_namespace_key).known_objects(store.clone()).observer(lab.observer()));
        let reflector = lab.reflector(Reflector::new(pods, fifo.clone()));
        Self { processor: SharedProcessor::default().observer(lab.observer()), reflector, fifo, store }
    }

    pub(in crate::lessons) fn add_event_handler(&self, handler: PodHandler) {
        self.processor.add_listener(handler);
    }

    pub(in crate::lessons) async fn start(&self, lab: &Lab) -> Result<()> {
        let pop = async {
            while let Ok(handled) = self.fifo.pop(|deltas, _| self.handle_deltas(deltas)).await {
                handled?;
            }
            anyhow::Ok(())
        };
        let reflect = async {
            self.reflector.run(lab.stop()).await;
            self.fifo.close();
        };
        let (popped, (), handled) = join!(pop, reflect, self.processor.run(lab.stop()));
        popped.and(Ok(handled?))
    }

    /// Changes the store before it notifies the handlers, so that no handler finds an older object there than it gets.
    fn handle_deltas(&self, deltas: Deltas<Pod>) -> Result<(), Error> {
        for delta in deltas {
            let change = match delta {
                Delta::Sync(object) | Delta::Added(object) => {
                    self.store.add(object.clone())?;
                    Notification::Add { object, initial: InitialList::No }
                }
                Delta::Updated(new) => {
                    // The note on the shenyisyn course tests `err != nil && exists` here: see `as_published.rs`.
                    let Some(old) = self.store.get(&new)? else { continue };
                    self.store.update(new.clone())?;
                    Notification::Update { old, new }
                }
                Delta::Deleted(deletion) => {
                    self.store.delete(deletion.clone())?;
                    Notification::Delete(deletion)
                }
                _ => continue, // a DeltaFIFO makes nothing else
            };
            self.processor.distribute(&change);
        }
        Ok(())
    }
}
// ANCHOR_END: my_shared_informer
