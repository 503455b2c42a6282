//! Three consumers that want to know of every change of a pod.
//!
//! `informer-lab break shared` describes the problem, `informer-lab check shared` judges the program.

use futures::future::try_join_all;
use kube_informers::cache::{BoxError, SharedIndexInformer};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let mut running = Vec::new();
    for consumer in ["metrics", "audit", "search"] {
        let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
        informer.add_event_handler(trial.handler(consumer))?;
        running.push(informer.run(trial.stop()));
    }
    try_join_all(running).await?;
    Ok(())
}
