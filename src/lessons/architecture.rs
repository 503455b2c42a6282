//! Lesson `architecture`: shows one pod on its way through the five parts of an informer, with a trace line from each
//! part.
//!
//! Chapter: `lessons/01-architecture`. Trace: `fixtures/traces/architecture.txt`.

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::go;
use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    Deletion, Delta, DeltaFifo, Deltas, Error, HandlerFuncs, Indexer, InitialList, ListWatch, NAMESPACE_INDEX,
    Notification, Reflector, ReflectorStore, SharedProcessor, meta_namespace_index, meta_namespace_key,
};

// ANCHOR: architecture
/// Watches until one pod has come, and prints what each part does with it. A live run goes on with every change.
pub async fn run(lab: &Lab) -> Result<()> {
    let stop = lab.stop().child_token();
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let indexer = Arc::new(Indexer::new(meta_namespace_key).observer(lab.observer()));
    indexer.index(NAMESPACE_INDEX, meta_namespace_index)?;
    let queue = DeltaFifo::new(meta_namespace_key).known_objects(indexer.clone());
    let queue = Arc::new(queue.observer(lab.observer()));
    let reflector = Reflector::new(pods, Arc::new(Entrance { lab: lab.clone(), queue: queue.clone() }));
    let reflector = lab.reflector(reflector);
    let processor = SharedProcessor::default().observer(lab.observer());
    let printer = |style, called| {
        let lab = lab.clone();
        move |pod: &Pod| lab.print(style, format_args!("handler     {called}: {}", name(pod)))
    };
    let (added, updated) = (printer(Style::Added, "OnAdd"), printer(Style::Updated, "OnUpdate"));
    let deleted = printer(Style::Deleted, "OnDelete");
    let handler =
        HandlerFuncs::new().add_func(move |pod: Arc<Pod>, _| added(&pod)).update_func(move |_, pod| updated(&pod));
    processor
        .add_listener(handler.delete_func(move |deletion| deletion.object().into_iter().for_each(|pod| deleted(pod))));

    let reflect = async {
        reflector.run(stop.clone()).await;
        queue.close();
    };
    let controller = async {
        while let Ok(processed) = queue.pop(|deltas, _| process(lab, &indexer, &processor, deltas)).await {
            if processed.is_err() || !lab.is_live() {
                stop.cancel(); // one pod is enough
                return processed;
            }
        }
        Ok(())
    };
    let ((), processed, handled) = join!(reflect, controller, processor.run(stop.clone()));
    processed?;
    Ok(handled?)
}

/// Processes the popped deltas as the Controller does: it updates the Indexer first, then calls the Processor.
fn process(
    lab: &Lab,
    indexer: &Indexer<Pod>,
    processor: &SharedProcessor<Pod>,
    deltas: Deltas<Pod>,
) -> Result<(), Error> {
    let kinds = go::slice(deltas.iter().map(Delta::kind));
    for delta in deltas {
        let Some(object) = delta.object().cloned() else { continue }; // a DeltaFIFO with known objects always has one
        let key = meta_namespace_key(&*object);
        lab.print(Style::Plain, format_args!("Controller  Pop: {key} {kinds}"));
        let (call, notification) = match delta {
            Delta::Deleted(deletion) => {
                indexer.delete(deletion.clone())?;
                ("Delete", Notification::Delete(deletion))
            }
            _ => match indexer.get(&object)? {
                Some(old) => {
                    indexer.update(object.clone())?;
                    ("Update", Notification::Update { old, new: object })
                }
                None => {
                    indexer.add(object.clone())?;
                    ("Add", Notification::Add { object, initial: InitialList::No })
                }
            },
        };
        let indices = go::indices(&indexer.indices());
        lab.print(Style::Plain, format_args!("Indexer     {call}: {key}, indices {indices}"));
        processor.distribute(&notification);
        lab.print(Style::Plain, format_args!("Processor   distribute: {key} to each listener"));
    }
    Ok(())
}

/// The store that the Reflector writes to: prints each call, and passes it on to the queue.
struct Entrance {
    lab: Lab,
    queue: Arc<DeltaFifo<Pod>>,
}

impl Entrance {
    fn print(&self, call: &str, pod: &str) {
        self.lab.print(Style::Plain, format_args!("Reflector   {call}({pod})"));
    }

    fn print_queue(&self) {
        let keys = self.queue.list_keys();
        self.lab.print(Style::Plain, format_args!("DeltaFIFO   queue {}", go::slice(keys)));
    }
}

impl ReflectorStore<Pod> for Entrance {
    fn add(&self, pod: Arc<Pod>) -> Result<(), Error> {
        self.print("Add", name(&pod));
        self.queue.add(pod)?;
        self.print_queue();
        Ok(())
    }

    fn update(&self, pod: Arc<Pod>) -> Result<(), Error> {
        self.print("Update", name(&pod));
        self.queue.update(pod)?;
        self.print_queue();
        Ok(())
    }

    fn delete(&self, deletion: Deletion<Pod>) -> Result<(), Error> {
        self.print("Delete", deletion.object().map_or("", |pod| name(pod)));
        self.queue.delete(deletion)?;
        self.print_queue();
        Ok(())
    }

    fn replace(&self, pods: Vec<Arc<Pod>>, resource_version: &str) -> Result<(), Error> {
        self.queue.replace(pods, resource_version)
    }
}
// ANCHOR_END: architecture
