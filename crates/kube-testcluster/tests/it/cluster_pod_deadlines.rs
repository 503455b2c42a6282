//! Tests pods with `activeDeadlineSeconds`, which the kubelet fails once they have been active for that long.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::cluster_data::Folder;
use crate::support::api::{Api, PODS, item, pod};
use crate::support::seconds;

const MESSAGE: &str = "Pod was active on the node longer than the specified deadline";

fn cluster(stages: Stages) -> (Cluster, Api) {
    let started = "2023-05-01T10:00:00Z".parse().unwrap();
    let cluster = Cluster::builder().stages(stages).nodes(1).started_at(started).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn with_deadline(seconds: u64) -> Value {
    let mut pod = pod("a", &json!({}));
    pod["spec"]["activeDeadlineSeconds"] = json!(seconds);
    pod["spec"]["initContainers"] = json!([{"name": "sidecar", "image": "sidecar", "restartPolicy": "Always"}]);
    pod
}

async fn status(api: &Api) -> Value {
    api.get(&item("a")).await.body["status"].clone()
}

/// Returns type, reason and message of the kubelet's Events that are not about the start.
async fn events(api: &Api) -> Vec<String> {
    let events = api.items("/api/v1/namespaces/default/events").await;
    let is_late = |event: &&Value| event["reason"] == "DeadlineExceeded" || event["reason"] == "Killing";
    let text =
        |event: &Value| ["type", "reason", "message"].map(|field| event[field].as_str().unwrap().to_owned()).join(" ");
    let mut texts: Vec<_> = events.iter().filter(is_late).map(text).collect();
    texts.sort();
    texts
}

#[tokio::test(start_paused = true)]
async fn a_pod_fails_once_its_deadline_has_passed() {
    let (cluster, api) = cluster(Stages::named("run").unwrap());
    api.created(PODS, &with_deadline(10)).await;
    cluster.settled().await; // `settled` does not wait for a deadline
    seconds(6).await;
    assert_eq!(status(&api).await["phase"], "Running");
    seconds(4).await;
    let status = status(&api).await;
    let texts = [&status["phase"], &status["reason"], &status["message"]].map(|text| text.as_str().unwrap());
    assert_eq!(texts, ["Failed", "DeadlineExceeded", MESSAGE]);
    for list in ["containerStatuses", "initContainerStatuses"] {
        assert!(status[list][0]["state"]["terminated"].is_object(), "{status}");
    }
    let conditions = status["conditions"].as_array().unwrap();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("False"), &json!("PodFailed")));
    let expected = [
        format!("Normal DeadlineExceeded {MESSAGE}"),
        "Normal Killing Stopping container main".to_owned(),
        "Normal Killing Stopping container sidecar".to_owned(),
    ];
    assert_eq!(events(&api).await, expected);
    let version = api.get(&item("a")).await.version();
    seconds(600).await;
    assert_eq!(api.get(&item("a")).await.version(), version, "the pod's stages have ended");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_counts_while_the_pod_waits_for_its_start() {
    let (_cluster, api) = cluster(Stages::named("bad-image").unwrap());
    let mut pod = with_deadline(30);
    pod["spec"]["initContainers"] = json!([]);
    api.created(PODS, &pod).await;
    seconds(29).await;
    assert_eq!(status(&api).await["phase"], "Pending");
    seconds(2).await;
    let status = status(&api).await;
    assert_eq!((&status["phase"], &status["reason"]), (&json!("Failed"), &json!("DeadlineExceeded")));
    let ended = &status["containerStatuses"][0]["state"]["terminated"];
    assert_eq!((&ended["reason"], &ended["exitCode"]), (&json!("ContainerStatusUnknown"), &json!(137)));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_can_be_set_and_shortened_while_the_pod_runs() {
    let (cluster, api) = cluster(Stages::named("fast").unwrap());
    api.created(PODS, &pod("a", &json!({}))).await;
    cluster.settled().await;
    for deadline in [1000, 20] {
        let patch = json!({"spec": {"activeDeadlineSeconds": deadline}});
        assert_eq!(api.merge(&item("a"), &patch).await.status, 200);
    }
    seconds(15).await;
    assert_eq!(status(&api).await["phase"], "Running");
    seconds(6).await;
    assert_eq!(status(&api).await["reason"], "DeadlineExceeded");
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_ends_in_time_or_is_deleted_has_no_deadline() {
    let (cluster, api) = cluster(Stages::named("completed").unwrap());
    api.created(PODS, &with_deadline(60)).await;
    let mut deleted = with_deadline(60);
    deleted["metadata"]["name"] = json!("deleted");
    api.created(PODS, &deleted).await;
    seconds(3).await;
    api.delete(&item("deleted")).await;
    cluster.settled().await;
    seconds(100).await;
    let status = status(&api).await;
    assert_eq!((&status["phase"], status.get("reason")), (&json!("Succeeded"), None));
    assert!(!events(&api).await.iter().any(|event| event.contains("DeadlineExceeded")));
}

#[tokio::test]
async fn a_deadline_that_passes_while_the_cluster_is_down_counts() {
    let folder = Folder::new("deadlines");
    let start = |at: &str| {
        let stages = Stages::named("fast").unwrap();
        let cluster = Cluster::builder().stages(stages).nodes(1).started_at(at.parse().unwrap());
        let cluster = cluster.start_in(&folder.0).unwrap();
        let api = Api::new(&cluster);
        (cluster, api)
    };
    let (cluster, api) = start("2023-05-01T10:00:00Z");
    api.created(PODS, &with_deadline(3600)).await;
    cluster.settled().await;
    assert_eq!(status(&api).await["phase"], "Running");
    cluster.shutdown().await;
    let (cluster, api) = start("2023-05-01T12:00:00Z");
    let mut watch = api.watch("resourceVersion=0").await;
    while watch.next().await.unwrap()["object"]["status"]["reason"] != "DeadlineExceeded" {}
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_deadline_during_the_initialization_kills_the_init_container_and_the_others_keep_waiting() {
    let stages = "{run: [{bind: true}, {containers: {running: {}}}],
        init: [{containers: {running: {}}}, {after: 1h, containers: {terminated: {exitCode: 0, reason: Completed}}}]}";
    let (_cluster, api) = cluster(Stages::from_yaml(stages, "s.yaml").unwrap());
    let mut pod = with_deadline(30);
    let plain = |name: &str| json!({"name": name, "image": name});
    let sidecar = pod["spec"]["initContainers"][0].clone();
    pod["spec"]["initContainers"] = json!([sidecar, plain("runs"), plain("waits")]);
    api.created(PODS, &pod).await;
    seconds(35).await;
    let status = status(&api).await;
    assert_eq!((&status["phase"], &status["reason"]), (&json!("Failed"), &json!("DeadlineExceeded")));
    let ends = [0, 1].map(|n| &status["initContainerStatuses"][n]["state"]["terminated"]["exitCode"]);
    assert_eq!(ends, [0, 137]);
    assert_eq!(status["initContainerStatuses"][1]["ready"], false);
    let waiting = json!({"waiting": {"reason": "PodInitializing"}});
    let states = [&status["initContainerStatuses"][2], &status["containerStatuses"][0]].map(|one| &one["state"]);
    assert_eq!(states, [&waiting, &waiting]);
}
