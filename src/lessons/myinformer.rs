//! A simple informer built by hand: ListWatch, Reflector, DeltaFIFO, Store and one handler.
//!
//! Chapter: `lessons/myinformer.md`. Traces: `fixtures/traces/myinformer*.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use super::queues::queue;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    Deletion, Delta, Deltas, Error, EventHandler, InitialList, ListWatch, Queue, Reflector, Store, meta_namespace_key,
};

/// The documents' type `WatchDog`.
struct WatchDog<H> {
    reflector: Reflector<Pod>,
    queue: Arc<dyn Queue<Pod>>,
    store: Arc<Store<Pod>>,
    handler: H,
}

impl<H: EventHandler<Pod> + Send> WatchDog<H> {
    fn new(lab: &Lab, pods: ListWatch<Pod>, handler: H) -> Self {
        let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
        let queue = queue(lab, Some(store.clone()));
        let reflector = lab.reflector(Reflector::new(pods, queue.clone()));
        Self { reflector, queue, store, handler }
    }

    async fn run(self, lab: &Lab) -> Result<()> {
        let Self { reflector, queue, store, mut handler } = self;
        let fill = async {
            reflector.run(lab.stop()).await;
            queue.close();
            Ok(())
        };
        let empty = async {
            let mut handle = |deltas, _| Ok(handle(&store, &mut handler, deltas)?);
            while let Ok(handled) = queue.pop_with(&mut handle).await {
                handled.map_err(anyhow::Error::from_boxed)?;
            }
            Ok(())
        };
        futures::try_join!(fill, empty).map(|_| ())
    }
}

/// Updates the store first, so that the handler can look the object up.
fn handle(store: &Store<Pod>, handler: &mut impl EventHandler<Pod>, deltas: Deltas<Pod>) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) => {
                store.add(pod.clone())?;
                handler.on_add(pod, InitialList::Yes);
            }
            Delta::Added(pod) => {
                store.add(pod.clone())?;
                handler.on_add(pod, InitialList::No);
            }
            Delta::Updated(pod) => {
                if let Some(old) = store.get(&pod)? {
                    store.update(pod.clone())?;
                    handler.on_update(old, pod);
                }
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                handler.on_delete(deletion);
            }
            // Only from a queue without known objects.
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => {}
        }
    }
    Ok(())
}

struct PodHandler(Lab);

impl EventHandler<Pod> for PodHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.print(Style::Added, format!("OnAdd: {}", name(&pod)));
    }

    fn on_update(&mut self, _old: Arc<Pod>, new: Arc<Pod>) {
        self.0.print(Style::Updated, format!("OnUpdate: {}", name(&new)));
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        if let Some(pod) = deletion.object() {
            self.0.print(Style::Deleted, format!("OnDelete: {}", name(pod)));
        }
    }
}

/// Watches the pods with a WatchDog.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    WatchDog::new(lab, pods, PodHandler(lab.clone())).run(lab).await
}
