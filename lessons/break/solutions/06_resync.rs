//! Keeps a load balancer in step with the cluster. If the load balancer is down, the change is tried again later.
//!
//! `informer-lab break resync` describes the problem, `informer-lab check resync` judges the program.

use futures::{StreamExt, try_join};
use kube_informers::cache::{BoxError, HandlerOptions, SharedIndexInformer};
use kube_informers::workqueue::WorkQueue;

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let changes = informer.subscribe(HandlerOptions::new())?;
    let pods = informer.reader();
    let balancer = trial.balancer();
    let (queue, stop) = (WorkQueue::new(), trial.stop());

    let inform = async { Ok(informer.clone().run(stop.clone()).await?) };
    let fill = async {
        changes.for_each(async |change| queue.add(change.key())).await;
        Ok::<_, BoxError>(())
    };
    // The queue retries a key whose work failed, with a growing delay, even if the pod is gone.
    let follow = async |key: String| match pods.get(&key) {
        Some(_) => balancer.add(&key).await,
        None => balancer.remove(&key).await,
    };
    let work = async { Ok(queue.workers(1, follow).run(&stop).await?) };
    try_join!(inform, fill, work)?;
    Ok(())
}
