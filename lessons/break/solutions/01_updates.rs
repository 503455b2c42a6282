//! A shared informer over list and watch, put together by hand as in the tutorials' documents.
//!
//! `informer-lab break updates` describes the problem, `informer-lab check updates` judges the program.

use std::sync::Arc;

use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    BoxError, Delta, DeltaFifo, Deltas, Error, InitialList, Notification, Reflector, SharedProcessor, Store,
    meta_namespace_key,
};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let store = Arc::new(Store::new(meta_namespace_key::<Pod>).observer(trial.observer()));
    let queue = DeltaFifo::new(meta_namespace_key::<Pod>).known_objects(store.clone()).observer(trial.observer());
    let queue = Arc::new(queue);
    let reflector = Reflector::new(trial.pods(), queue.clone()).observer(trial.observer());
    let processor = SharedProcessor::default().observer(trial.observer());
    processor.add_listener(trial.handler("handler"));

    let fill = async {
        reflector.run(trial.stop()).await;
        queue.close();
        Ok(())
    };
    let empty = async {
        while let Ok(handled) = queue.pop(|deltas, initial| handle(&store, &processor, deltas, initial)).await {
            handled?;
        }
        Ok::<_, BoxError>(())
    };
    let deliver = async { Ok(processor.run(trial.stop()).await?) };
    try_join!(fill, empty, deliver)?;
    Ok(())
}

/// Changes the store first, then notifies the handlers.
fn handle(
    store: &Store<Pod>,
    processor: &SharedProcessor<Pod>,
    deltas: Deltas<Pod>,
    initial: InitialList,
) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Sync(pod) | Delta::Replaced(pod) | Delta::Added(pod) => {
                store.add(pod.clone())?;
                processor.distribute(&Notification::Add { object: pod, initial });
            }
            Delta::Updated(pod) => {
                let (old, error) = get(store, &pod);
                if error.is_none()
                    && let Some(old) = old
                {
                    store.update(pod.clone())?;
                    processor.distribute(&Notification::Update { old, new: pod });
                }
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                processor.distribute(&Notification::Delete(deletion));
            }
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => {} // only a RealFIFO has these
        }
    }
    Ok(())
}

/// Returns the pod that the store has, and the error of the look-up, as Go's `old, exists, err`.
fn get(store: &Store<Pod>, pod: &Pod) -> (Option<Arc<Pod>>, Option<Error>) {
    match store.get(pod) {
        Ok(old) => (old, None),
        Err(error) => (None, Some(error)),
    }
}
