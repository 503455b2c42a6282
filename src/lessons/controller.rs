//! A ReplicaSet controller: it keeps as many pods running as each ReplicaSet asks for.
//!
//! Chapter: `lessons/16-controller`. Traces: `fixtures/traces/controller*.txt`. The controller itself is in
//! `crates/kube-testcluster/src/controllers/replica_set`; `informer-lab cluster` runs the same one for all ReplicaSets.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::ReplicaSet;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::SharedInformerFactory;
use kube_testcluster::controllers::replica_set::{Controller, Deed, Writes};

/// The label of the ReplicaSets that this controller handles.
const OURS: (&str, &str) = ("controller", "informer-lab");

/// Runs the controller until the lab stops.
pub async fn run(lab: &Lab) -> Result<()> {
    let factory = lab.factory(SharedInformerFactory::new(lab.client()).namespace(lab.namespace()));
    let factory = factory.resync(Duration::from_secs(30));
    let voice = lab.clone();
    let controller = Controller::new(lab.client(), &factory)?.only(is_ours).writes(Writes::OneByOne);
    controller.voice(move |deed| tell(&voice, deed)).run(&factory, &lab.stop()).await?;
    Ok(())
}

fn is_ours(set: &ReplicaSet) -> bool {
    let label = set.metadata.labels.as_ref().and_then(|labels| labels.get(OURS.0));
    label.is_some_and(|value| value == OURS.1)
}

/// Prints what the controller does, as a line of the trace or as narration.
fn tell(lab: &Lab, deed: Deed<'_>) {
    match deed {
        Deed::Begins => lab.narrate("the caches are filled: the workers begin", "缓存已填满：worker 开始工作"),
        Deed::Gone { set } => lab.print(Style::Deleted, format_args!("{set}: gone")),
        Deed::Waits { set } => {
            lab.print(Style::Plain, format_args!("{set}: has not seen all that it did, waits"));
        }
        Deed::Creates { set, there, wanted, count } => {
            lab.print(Style::Added, format_args!("{set}: {there} of {wanted} pods, create {count}"));
        }
        Deed::Created { pod } => lab.print(Style::Added, format_args!("  + {pod}")),
        Deed::Deletes { set, there, wanted, count } => {
            lab.print(Style::Deleted, format_args!("{set}: {there} of {wanted} pods, delete {count}"));
        }
        Deed::Deleted { pod } => lab.print(Style::Deleted, format_args!("  - {pod}")),
        Deed::Adopted { pod } => lab.print(Style::Added, format_args!("  {pod}: adopted")),
        Deed::Released { pod } => lab.print(Style::Deleted, format_args!("  {pod}: released")),
        Deed::Status { set, replicas, ready } => {
            lab.print(Style::Updated, format_args!("{set}: status: {replicas} replicas, {ready} ready"));
        }
        Deed::Failed { error } => lab.retrying(error),
    }
}
