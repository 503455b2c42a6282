//! Tests the heartbeats of nodes, and what happens to a node that falls silent, and to its pods.

use kube_testcluster::{Admission, Cluster, Heartbeats, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, item, pod};
use crate::support::seconds;

const NODES: &str = "/api/v1/nodes";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

fn cluster(nodes: usize, heartbeats: Heartbeats) -> (Cluster, Api) {
    let started = "2023-05-01T10:00:00Z".parse().unwrap();
    let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(nodes).started_at(started);
    let cluster = builder.admission(Admission::Kube).heartbeats(heartbeats).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Makes the kubelet of a node silent, or lets it speak.
async fn silence(api: &Api, node: &str, label: Value) {
    let labels = json!({"metadata": {"labels": {"lab/kubelet": label}}});
    assert_eq!(api.merge(&format!("{NODES}/{node}"), &labels).await.status, 200);
}

/// Creates a pod on a node.
async fn on_node(api: &Api, name: &str, node: &str) {
    let mut pod = pod(name, &json!({}));
    pod["spec"]["nodeName"] = json!(node);
    api.created(PODS, &pod).await;
}

async fn node(api: &Api, name: &str) -> Value {
    api.get(&format!("{NODES}/{name}")).await.body
}

fn condition(object: &Value, kind: &str) -> Value {
    let conditions = object["status"]["conditions"].as_array().unwrap();
    conditions.iter().find(|condition| condition["type"] == kind).unwrap().clone()
}

fn taints(node: &Value) -> Vec<String> {
    let taints = node["spec"]["taints"].as_array().cloned().unwrap_or_default();
    let text = |taint: &Value| {
        assert!(taint["timeAdded"].is_string(), "{taint}");
        format!("{}:{}", taint["key"].as_str().unwrap(), taint["effect"].as_str().unwrap())
    };
    taints.iter().map(text).collect()
}

/// Returns object and message of the Events with this reason.
async fn events(api: &Api, reason: &str) -> Vec<String> {
    let path = format!("/api/v1/namespaces/default/events?fieldSelector=reason%3D{reason}");
    let text = |event: &Value| {
        let [kind, name, message] =
            [&event["involvedObject"]["kind"], &event["involvedObject"]["name"], &event["message"]]
                .map(|text| text.as_str().unwrap());
        format!("{kind}/{name} {message}")
    };
    let mut texts: Vec<_> = api.items(&path).await.iter().map(text).collect();
    texts.sort();
    texts
}

#[tokio::test(start_paused = true)]
async fn every_node_has_a_lease_which_nothing_renews_by_default() {
    let (cluster, api) = cluster(2, Heartbeats::Off);
    let leases = api.items(LEASES).await;
    for (lease, name) in leases.iter().zip(["node-1", "node-2"]) {
        let owner = &lease["metadata"]["ownerReferences"][0];
        let uid = node(&api, name).await["metadata"]["uid"].clone();
        assert_eq!(
            *owner,
            json!({"apiVersion": "v1", "kind": "Node", "name": name, "uid": uid}),
            "it goes with its node"
        );
        let spec = json!({
            "holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": "2023-05-01T10:00:00.000000Z",
        });
        assert_eq!((&lease["metadata"]["name"], &lease["spec"]), (&json!(name), &spec));
    }
    assert_eq!(leases.len(), 2);
    cluster.settled().await;
    let before = api.get("/api/v1/namespaces").await.version();
    seconds(3600).await;
    assert_eq!(api.get("/api/v1/namespaces").await.version(), before, "an idle cluster writes nothing");
    api.delete(&format!("{NODES}/node-2")).await;
    cluster.settled().await;
    assert_eq!(api.get(LEASES).await.names(), ["node-1"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn with_heartbeats_the_lease_is_renewed_every_ten_seconds_and_the_status_every_five_minutes() {
    let (cluster, api) = cluster(1, Heartbeats::On);
    let lease = format!("{LEASES}/node-1");
    let times = async || {
        let ready = condition(&node(&api, "node-1").await, "Ready");
        [
            api.get(&lease).await.body["spec"]["renewTime"].clone(),
            ready["lastHeartbeatTime"].clone(),
            ready["lastTransitionTime"].clone(),
        ]
    };
    let start = "2023-05-01T10:00:00Z";
    seconds(25).await;
    assert_eq!(times().await, ["2023-05-01T10:00:20.000000Z", start, start]);
    seconds(280).await;
    assert_eq!(times().await, ["2023-05-01T10:05:00.000000Z", "2023-05-01T10:05:00Z", start]);
    api.delete(&lease).await;
    seconds(10).await;
    assert_eq!(times().await[0], "2023-05-01T10:05:10.000000Z", "the kubelet creates its Lease again");
    seconds(3600).await;
    assert_eq!(condition(&node(&api, "node-1").await, "Ready")["status"], "True");
    assert!(taints(&node(&api, "node-1").await).is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_node_becomes_unreachable_and_loses_its_pods() {
    for heartbeats in [Heartbeats::Off, Heartbeats::On] {
        let (cluster, api) = cluster(2, heartbeats);
        on_node(&api, "a", "node-1").await;
        on_node(&api, "b", "node-2").await;
        seconds(5).await;
        assert_eq!(condition(&api.get(&item("a")).await.body, "Ready")["status"], "True");
        silence(&api, "node-1", json!("silent")).await;
        seconds(44).await;
        assert_eq!(condition(&node(&api, "node-1").await, "Ready")["status"], "True");
        seconds(12).await;

        let silent = node(&api, "node-1").await;
        for kind in ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] {
            let condition = condition(&silent, kind);
            let texts = ["status", "reason", "message"].map(|field| condition[field].as_str().unwrap());
            assert_eq!(texts, ["Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."], "{kind}");
        }
        let unreachable = |effect: &str| format!("node.kubernetes.io/unreachable:{effect}");
        assert_eq!(taints(&silent), [unreachable("NoSchedule"), unreachable("NoExecute")]);
        let on_silent = api.get(&item("a")).await.body;
        assert_eq!(condition(&on_silent, "Ready")["status"], "False");
        assert_eq!(condition(&on_silent, "ContainersReady")["status"], "True");
        let expected = ["Node/node-1 Node node-1 status is now: NodeNotReady", "Pod/a Node is not ready"];
        assert_eq!(events(&api, "NodeNotReady").await, expected);
        assert!(taints(&node(&api, "node-2").await).is_empty());

        seconds(280).await;
        assert!(api.get(&item("a")).await.body["metadata"]["deletionTimestamp"].is_null());
        seconds(30).await;
        let evicted = api.get(&item("a")).await.body;
        assert!(evicted["metadata"]["deletionTimestamp"].is_string(), "{evicted}");
        assert_eq!(condition(&evicted, "DisruptionTarget")["reason"], "DeletionByTaintManager");
        seconds(3600).await;
        assert_eq!(api.get(&item("a")).await.status, 200, "the kubelet does not end it");
        assert!(api.get(&item("b")).await.body["metadata"]["deletionTimestamp"].is_null());

        silence(&api, "node-1", Value::Null).await;
        seconds(2).await;
        let back = node(&api, "node-1").await;
        let ready = condition(&back, "Ready");
        assert_eq!((&ready["status"], &ready["reason"]), (&json!("True"), &json!("KubeletReady")));
        assert_eq!(condition(&back, "MemoryPressure")["reason"], "KubeletHasSufficientMemory");
        assert_eq!(events(&api, "NodeReady").await, ["Node/node-1 Node node-1 status is now: NodeReady"]);
        assert!(taints(&back).is_empty(), "{back}");
        assert_eq!(api.get(&item("a")).await.status, 404);
        cluster.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_speaks_again_in_time_keeps_its_pods_and_starts_those_that_waited() {
    let (cluster, api) = cluster(2, Heartbeats::On);
    on_node(&api, "a", "node-1").await;
    seconds(5).await;
    silence(&api, "node-1", json!("silent")).await;
    seconds(1).await;
    on_node(&api, "late", "node-1").await;
    seconds(60).await;
    let late = api.get(&item("late")).await.body;
    assert_eq!((&late["status"]["phase"], late["status"].get("startTime")), (&json!("Pending"), None));
    assert_eq!(condition(&api.get(&item("a")).await.body, "Ready")["status"], "False");
    silence(&api, "node-1", Value::Null).await;
    seconds(400).await;
    for name in ["a", "late"] {
        let pod = api.get(&item(name)).await.body;
        assert_eq!(condition(&pod, "Ready")["status"], "True", "{pod}");
        assert!(pod["metadata"]["deletionTimestamp"].is_null());
    }
    assert!(taints(&node(&api, "node-1").await).is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn if_all_nodes_are_silent_no_pod_is_evicted() {
    let (cluster, api) = cluster(1, Heartbeats::Off);
    on_node(&api, "a", "node-1").await;
    silence(&api, "node-1", json!("silent")).await;
    seconds(3600).await;
    assert_eq!(taints(&node(&api, "node-1").await), ["node.kubernetes.io/unreachable:NoSchedule"]);
    assert!(api.get(&item("a")).await.body["metadata"]["deletionTimestamp"].is_null());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_node_of_another_client_is_unreachable_once_its_lease_is_no_longer_renewed() {
    let (cluster, api) = cluster(1, Heartbeats::Off);
    let status = json!({"conditions": [{"type": "Ready", "status": "True"}]});
    api.created(NODES, &json!({"metadata": {"name": "mine"}, "status": status})).await;
    let lease = |second: u64| {
        let time = format!("2023-05-01T10:00:{second:02}.000000Z");
        json!({"metadata": {"name": "mine"}, "spec": {"holderIdentity": "mine", "renewTime": time}})
    };
    seconds(120).await;
    assert_eq!(condition(&node(&api, "mine").await, "Ready")["status"], "True", "it has no heartbeats");
    api.created(LEASES, &lease(1)).await;
    for second in [2, 3] {
        seconds(40).await;
        assert_eq!(api.merge(&format!("{LEASES}/mine"), &lease(second)).await.status, 200);
    }
    seconds(45).await;
    assert_eq!(condition(&node(&api, "mine").await, "Ready")["status"], "True");
    seconds(15).await;
    assert_eq!(condition(&node(&api, "mine").await, "Ready")["status"], "Unknown");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_label_without_a_meaning_has_no_effect_but_an_event() {
    let (cluster, api) = cluster(2, Heartbeats::Off);
    silence(&api, "node-1", json!("quiet")).await;
    seconds(120).await;
    assert_eq!(condition(&node(&api, "node-1").await, "Ready")["status"], "True");
    let expected = "Node/node-1 The label lab/kubelet has the value \"quiet\", which has no effect. Use \"silent\"";
    assert_eq!(events(&api, "UnknownLabelValue").await, [expected]);
    cluster.shutdown().await;
}
