//! Tests `observedGeneration` in the status and the conditions of pods: the generation of the spec that the kubelet saw.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, item, pod};
use crate::support::seconds;

fn cluster(stages: &str) -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named(stages).unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns the generation of the pod's spec, then those in the status and in each condition.
fn generations(pod: &Value) -> Vec<u64> {
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    let all = [&pod["metadata"]["generation"], &pod["status"]["observedGeneration"]];
    let conditions = conditions.iter().map(|condition| &condition["observedGeneration"]);
    all.into_iter().chain(conditions).map(|generation| generation.as_u64().unwrap_or_default()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_waits_reports_that_its_changed_spec_was_seen() {
    let (cluster, api) = cluster("run");
    let mut waits = pod("a", &json!({}));
    waits["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "none"}}]);
    api.created(PODS, &waits).await;
    cluster.settled().await;
    let before = api.get(&item("a")).await.body;
    assert_eq!(generations(&before), [1; 7]);
    let patch = json!({"spec": {"activeDeadlineSeconds": 100_000}});
    assert_eq!(api.merge(&item("a"), &patch).await.status, 200);
    cluster.settled().await;
    let mut after = api.get(&item("a")).await.body;
    assert_eq!(generations(&after), [2; 7]);
    for condition in after["status"]["conditions"].as_array_mut().unwrap() {
        condition["observedGeneration"] = json!(1);
    }
    assert_eq!(after["status"]["conditions"], before["status"]["conditions"], "nothing else changes");
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_deleted_pod_names_the_generation_of_the_deletion() {
    let (_cluster, api) = cluster("run");
    api.pod("a", &json!({})).await;
    seconds(10).await;
    let mut watch = api.watch("").await;
    api.delete(&item("a")).await;
    loop {
        let pod = watch.next().await.unwrap()["object"].clone();
        if pod["status"]["containerStatuses"][0]["state"]["terminated"].is_object() {
            assert_eq!(generations(&pod), [2; 7]);
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_know_the_fields_cannot_remove_them() {
    let (cluster, api) = cluster("run");
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let mut pod = api.get(&item("a")).await.body;
    let known = pod.clone();
    let status = pod["status"].as_object_mut().unwrap();
    status.remove("observedGeneration");
    status.remove("qosClass");
    for condition in status["conditions"].as_array_mut().unwrap() {
        condition.as_object_mut().unwrap().remove("observedGeneration");
    }
    let answer = api.put(&item("a/status"), &pod).await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &known["status"]));
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_the_collector_fails_has_its_generation_too() {
    let (cluster, api) = cluster("run");
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let mut watch = api.watch("").await;
    assert_eq!(api.delete("/api/v1/nodes/node-1").await.status, 200);
    loop {
        let pod = watch.next().await.unwrap()["object"].clone();
        if pod["status"]["phase"] == "Failed" {
            assert_eq!(generations(&pod), [1; 8]);
            break;
        }
    }
}
