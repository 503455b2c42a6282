//! A test of an operator that watches pods. The pods are scheduled, pull their images, run, crash and end as on real
//! nodes.
//!
//! `cargo run --example pods_with_lifecycles`

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Event, Pod};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client, ResourceExt};
use kube_testcluster::{Cluster, Stages};
use serde_json::json;
use tokio::time::sleep;

type Error = Box<dyn std::error::Error>;

/// The number of restarts after which the operator gives a pod up.
const RESTARTS: i32 = 3;

/// The operator: deletes a pod that restarts too often, so that its owner creates another one.
async fn operator(client: Client) {
    let pods: Api<Pod> = Api::default_namespaced(client);
    loop {
        if let Err(error) = delete_crashing(&pods).await {
            tracing::warn!(%error, "trying again");
        }
        sleep(Duration::from_secs(10)).await;
    }
}

async fn delete_crashing(pods: &Api<Pod>) -> kube::Result<()> {
    for pod in pods.list(&ListParams::default()).await? {
        if restarts(&pod) >= RESTARTS && pod.metadata.deletion_timestamp.is_none() {
            pods.delete(&pod.name_any(), &DeleteParams::default()).await?;
        }
    }
    Ok(())
}

fn restarts(pod: &Pod) -> i32 {
    let containers = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    containers.map(|container| container.restart_count).sum()
}

/// Returns the number of pods in each phase.
async fn phases(pods: &Api<Pod>) -> Result<BTreeMap<String, usize>, Error> {
    let mut phases = BTreeMap::new();
    for pod in pods.list(&ListParams::default()).await? {
        *phases.entry(pod.status.and_then(|status| status.phase).unwrap_or_default()).or_default() += 1;
    }
    Ok(phases)
}

/// The test. The label `lab/lifecycle` chooses the lifecycle of a pod; see [`Stages::named`], and [`Stages`] for
/// lifecycles of your own. The function is `pub`, because `tests/it/examples.rs` runs it, too.
#[tokio::main(flavor = "current_thread", start_paused = true)]
pub async fn main() -> Result<(), Error> {
    let stages = Stages::named("run").ok_or("there are no stages of this name")?;
    let cluster = Cluster::builder().seed(1).nodes(3).stages(stages).start();
    let client = cluster.client("default");
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let operator = tokio::spawn(operator(client.clone()));

    // Three pods that run, created by the cluster's own ReplicaSet controller, and a job that completes.
    let web: ReplicaSet = serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "main", "image": "nginx"}]},
            },
        },
    }))?;
    Api::default_namespaced(client.clone()).create(&PostParams::default(), &web).await?;
    pods.create(&PostParams::default(), &pod("job", "completed")?).await?;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(phases(&pods).await?, BTreeMap::from([("Running".into(), 3), ("Succeeded".into(), 1)]));

    // A pod that crashes again and again: after some minutes of back-off the operator gives it up.
    pods.create(&PostParams::default(), &pod("broken", "crash-loop")?).await?;
    sleep(Duration::from_secs(15)).await;
    assert_eq!(restarts(&pods.get("broken").await?), 1, "it has restarted once");
    sleep(Duration::from_secs(300)).await;
    assert!(pods.get_opt("broken").await?.is_none(), "the operator has deleted it");
    let events: Api<Event> = Api::default_namespaced(client);
    let about = ListParams::default().fields("involvedObject.name=broken,reason=BackOff");
    assert!(!events.list(&about).await?.items.is_empty(), "its events are still there and give the reason");

    // A pod of the ReplicaSet: another one takes its place.
    let one = pods.list(&ListParams::default().labels("app=web")).await?.items.remove(0).name_any();
    pods.delete(&one, &DeleteParams::default()).await?;
    sleep(Duration::from_secs(60)).await;
    let names: Vec<String> =
        pods.list(&ListParams::default().labels("app=web")).await?.iter().map(Pod::name_any).collect();
    assert!(names.len() == 3 && !names.contains(&one), "{names:?}");

    operator.abort();
    cluster.shutdown().await;
    Ok(())
}

fn pod(name: &str, lifecycle: &str) -> Result<Pod, Error> {
    Ok(serde_json::from_value(json!({
        "metadata": {"name": name, "labels": {"lab/lifecycle": lifecycle}},
        "spec": {"containers": [{"name": "main", "image": "nginx"}]},
    }))?)
}
