//! Keeps a load balancer in step with the cluster. The load balancer is down now and then; what failed comes again.
//!
//! What is wrong with it: `informer-lab break resync`. Is it right now? `informer-lab check resync`.

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
    // A key whose work failed comes again, later each time, also that of a pod which is gone.
    let follow = async |key: String| match pods.get(&key) {
        Some(_) => balancer.add(&key).await,
        None => balancer.remove(&key).await,
    };
    let work = async { Ok(queue.workers(1, follow).run(&stop).await?) };
    try_join!(inform, fill, work)?;
    Ok(())
}
