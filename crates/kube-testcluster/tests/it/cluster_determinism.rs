//! Tests determinism: two clusters with the same seed give the same answers.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::api::{Api, PODS, pod};

/// Runs a cluster for an hour, with nodes, lifecycles, a ReplicaSet, a fault and a deletion, and returns all its
/// objects.
async fn an_hour(seed: u64) -> Vec<Value> {
    let builder = Cluster::builder().seed(seed).nodes(3).stages(Stages::named("run").unwrap());
    let cluster = builder.started_at("2023-05-01T10:00:00Z".parse().unwrap()).start();
    let api = Api::new(&cluster);
    let labels = json!({"app": "web"});
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "m", "image": "nginx"}]}});
    let spec = json!({"replicas": 3, "selector": {"matchLabels": labels}, "template": template});
    let web = json!({"metadata": {"name": "web"}, "spec": spec});
    assert_eq!(api.post("/apis/apps/v1/namespaces/default/replicasets", &web).await.status, 201);
    api.post(PODS, &pod("broken", &json!({"lab/lifecycle": "crash-loop"}))).await;
    cluster.faults().start("500:verb=delete,times=1".parse().unwrap());
    sleep(Duration::from_secs(60)).await;
    let first = api.get(&format!("{PODS}?labelSelector=app%3Dweb")).await;
    let item = format!("{PODS}/{}", first.names()[0]);
    assert_eq!([api.delete(&item).await.status, api.delete(&item).await.status], [500, 200]);
    sleep(Duration::from_secs(3600)).await;
    let mut all = Vec::new();
    for path in ["/api/v1/pods", "/api/v1/events", "/api/v1/nodes", "/apis/apps/v1/replicasets"] {
        all.push(api.get(path).await.body);
    }
    cluster.shutdown().await;
    all
}

#[tokio::test(start_paused = true)]
async fn with_the_same_seed_the_same_requests_get_the_same_answers() {
    let first = an_hour(7).await;
    assert!(first[0]["items"].as_array().unwrap().len() >= 4, "{}", first[0]);
    for (one, other) in first.iter().zip(an_hour(7).await) {
        assert_eq!(one["metadata"], other["metadata"]);
        assert_eq!(*one, other);
    }
    assert_ne!(first[0], an_hour(8).await[0], "another seed gives other names");
}
