//! Keeps a load balancer in step with the cluster, with one list and one watch: first every pod that exists, then every change.
//!
//! `informer-lab break gap` describes the problem, `informer-lab check gap` judges the program.

use futures::StreamExt;
use kube_informers::cache::{BoxError, ListOptions, ListerWatcher, WatchEvent, meta_namespace_key};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let (pods, balancer, stop) = (trial.pods(), trial.balancer(), trial.stop());

    let list = pods.list(ListOptions::default()).await?;
    for pod in &list.items {
        balancer.add(&meta_namespace_key(&**pod)).await?; // takes a second
    }

    let mut from = ListOptions::default();
    from.resource_version = Some(list.resource_version); // every change since the list
    let mut events = pods.watch(from).await?;
    while let Some(Some(event)) = stop.run_until_cancelled(events.next()).await {
        match event {
            WatchEvent::Added(pod) | WatchEvent::Modified(pod) => balancer.add(&meta_namespace_key(&*pod)).await?,
            WatchEvent::Deleted(pod) => balancer.remove(&meta_namespace_key(&*pod)).await?,
            WatchEvent::Error(status) => return Err(status.message.into()),
            _ => {} // a bookmark
        }
    }
    Ok(())
}
