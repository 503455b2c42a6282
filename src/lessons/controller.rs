//! Lesson `controller`: a controller for ReplicaSets. Its handlers put keys into a workqueue, and its workers bring one
//! object after the other closer to its desired state.
//!
//! The work on one ReplicaSet is `Controller::sync` in `crates/kube-controllers/src/replica_set/sync.rs`.
//! `informer-lab cluster` runs the same controller for all ReplicaSets.
//!
//! Chapter: `lessons/16-controller`. Traces: `fixtures/traces/controller*.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::ReplicaSet;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{SharedInformerFactory, wait_for};
use kube_testcluster::controllers::replica_set::{Controller, SyncError, SyncEvent, Writes};

// ANCHOR: controller
/// Runs the controller until the lab stops.
pub async fn run(lab: &Lab) -> Result<()> {
    let factory = lab.factory(SharedInformerFactory::new(lab.client()).namespace(lab.namespace()));
    let factory = factory.resync(Duration::from_secs(30));
    let out = lab.clone();
    let controller = Controller::new(lab.client(), &factory)?.only(is_ours).writes(Writes::OneByOne);
    let controller = Arc::new(controller.queue_observer(lab.work_observer()).observer(move |event| print(&out, event)));

    let handlers = controller.listen()?; // they put keys into the queue, and do nothing else
    factory.start(&lab.stop());
    if wait_for(&lab.stop(), &handlers).await {
        lab.narrate("the caches are filled: the workers begin", "缓存已填满：worker 开始工作");
        let workers = controller.queue().workers(2, async |key: String| controller.sync(&key).await);
        workers.on_error(|key, error| narrate_failure(lab, key, &error)).run(&lab.stop()).await?;
    }
    Ok(factory.shutdown().await?)
}
// ANCHOR_END: controller

/// The label of the ReplicaSets that this controller handles.
const OURS: (&str, &str) = ("controller", "informer-lab");

fn is_ours(set: &ReplicaSet) -> bool {
    let label = set.metadata.labels.as_ref().and_then(|labels| labels.get(OURS.0));
    label.is_some_and(|value| value == OURS.1)
}

/// Narrates a failure. The queue adds the key again, later after each failure. The error is shown without its causes.
fn narrate_failure(lab: &Lab, key: &str, error: &SyncError) {
    lab.narrate(&format!("{error}; {key} is queued again"), &format!("{error}；{key} 重新入队"));
}

fn print(lab: &Lab, event: SyncEvent<'_>) {
    match event {
        SyncEvent::Gone { set } => lab.print(Style::Deleted, format_args!("{set}: gone")),
        SyncEvent::Waits { set } => {
            lab.print(Style::Plain, format_args!("{set}: waits until the cache has its own writes"));
        }
        SyncEvent::Creates { set, existing, wanted, count } => {
            lab.print(Style::Added, format_args!("{set}: {existing} of {wanted} pods, create {count}"));
        }
        SyncEvent::Created { pod } => lab.print(Style::Added, format_args!("  + {pod}")),
        SyncEvent::Deletes { set, existing, wanted, count } => {
            lab.print(Style::Deleted, format_args!("{set}: {existing} of {wanted} pods, delete {count}"));
        }
        SyncEvent::Deleted { pod } => lab.print(Style::Deleted, format_args!("  - {pod}")),
        SyncEvent::Adopted { pod } => lab.print(Style::Added, format_args!("  {pod}: adopted")),
        SyncEvent::Released { pod } => lab.print(Style::Deleted, format_args!("  {pod}: released")),
        SyncEvent::Status { set, replicas, ready } => {
            lab.print(Style::Updated, format_args!("{set}: status: {replicas} replicas, {ready} ready"));
        }
        SyncEvent::Begins | SyncEvent::Failed { .. } => {} // a narrated failure, or nothing to print
    }
}
