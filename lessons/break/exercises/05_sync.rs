//! The pod garbage collector: it deletes pods whose node does not exist any more.
//!
//! `informer-lab break sync` describes the problem, `informer-lab check sync` judges the program.

use futures::{StreamExt, try_join};
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::api::DeleteParams;
use kube::{Api, ResourceExt};
use kube_informers::cache::{BoxError, HandlerOptions, ListWatch, SharedIndexInformer};
use kube_informers::workqueue::WorkQueue;

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let pods = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let nodes = SharedIndexInformer::new(ListWatch::<Node>::all(trial.client()));
    let (known_pods, known_nodes) = (pods.reader(), nodes.reader());
    let changes = pods.subscribe(HandlerOptions::new())?;
    let api: Api<Pod> = Api::default_namespaced(trial.client());
    let (queue, stop) = (WorkQueue::new(), trial.stop());

    let collect = async |key: String| {
        let Some(pod) = known_pods.get(&key) else { return Ok(()) };
        let Some(node) = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref()) else { return Ok(()) };
        if known_nodes.get(node).is_none() {
            api.delete(&pod.name_any(), &DeleteParams::default().grace_period(0)).await?;
        }
        Ok::<_, kube::Error>(())
    };
    let inform = async {
        try_join!(pods.clone().run(stop.clone()), nodes.clone().run(stop.clone()))?;
        Ok::<_, BoxError>(())
    };
    let fill = async {
        changes.for_each(async |change| queue.add(change.key())).await;
        Ok(())
    };
    let work = async {
        queue.workers(2, collect).run(&stop).await?;
        Ok(())
    };
    try_join!(inform, fill, work)?;
    Ok(())
}
