//! Three consumers that want to know of every change of a pod.
//!
//! `informer-lab break shared` describes the problem, `informer-lab check shared` judges the program.

use kube_informers::cache::{BoxError, SharedIndexInformer};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    for consumer in ["metrics", "audit", "search"] {
        informer.add_event_handler(trial.handler(consumer))?;
    }
    Ok(informer.run(trial.stop()).await?)
}
