//! Tests pods in a cluster that keeps its data in a folder: after a restart, the kubelet goes on with them.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::cluster_data::Folder;
use crate::support::api::{Api, PODS, Watch, pod};

/// A pod is started at once, runs a moment later, and has ended a moment after that if it is to end.
const STAGES: &str = "
run:
- {bind: true}
- {containers: {waiting: {reason: ContainerCreating}}}
- {after: 20ms, containers: {running: {}}}
lifecycles:
- name: ends
  for: [{labels: ends}]
  run:
  - {bind: true}
  - {containers: {running: {}}}
  - {after: 20ms, containers: {terminated: {exitCode: 0, reason: Completed}}, status: {phase: Succeeded}}
";

fn start(folder: &Folder) -> (Cluster, Api) {
    let stages = Stages::from_yaml(STAGES, "pods.yaml").unwrap();
    let cluster = Cluster::builder().stages(stages).start_in(&folder.0).unwrap();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns the first state of a pod for which the condition holds.
async fn until(watch: &mut Watch, name: &str, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let event = watch.next().await.unwrap();
        if event["object"]["metadata"]["name"] == name && holds(&event["object"]["status"]) {
            return event["object"]["status"].clone();
        }
    }
}

#[tokio::test]
async fn pods_go_on_after_a_restart_where_they_stopped_and_keep_their_addresses() {
    let folder = Folder::new("data-pods");
    let (cluster, api) = start(&folder);
    let mut watch = api.watch("resourceVersion=0").await;
    api.pod("runs", &json!({})).await;
    let runs = until(&mut watch, "runs", |status| status["phase"] == "Running").await;
    assert_eq!(api.post(PODS, &pod("ends", &json!({"ends": ""}))).await.status, 201);
    until(&mut watch, "ends", |status| status["phase"] == "Running").await;
    api.pod("begins", &json!({})).await;
    until(&mut watch, "begins", |status| status["startTime"].is_string()).await;
    cluster.shutdown().await;

    let (cluster, api) = start(&folder);
    let mut watch = api.watch("resourceVersion=0").await;
    api.pod("new", &json!({})).await;
    let new = until(&mut watch, "new", |status| status["phase"] == "Running").await;
    let (mut begins, mut ends) = (Value::Null, Value::Null);
    for item in api.items(PODS).await {
        match item["metadata"]["name"].as_str() {
            Some("runs") => assert_eq!(item["status"], runs, "a running pod is left as it is"),
            Some("begins") => begins = item["status"].clone(),
            Some("ends") => ends = item["status"].clone(),
            _ => {}
        }
    }
    if begins["phase"] != "Running" {
        begins = until(&mut watch, "begins", |status| status["phase"] == "Running").await;
    }
    if ends["phase"] != "Succeeded" {
        until(&mut watch, "ends", |status| status["phase"] == "Succeeded").await;
    }
    let addresses: std::collections::BTreeSet<_> =
        [&runs, &begins, &new].map(|status| status["podIP"].to_string()).into();
    assert_eq!(addresses.len(), 3, "{addresses:?}");
    cluster.shutdown().await;
}
