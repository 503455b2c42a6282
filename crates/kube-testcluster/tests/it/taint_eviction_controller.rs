//! Tests the taint eviction controller in a whole in-memory cluster.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS};
use crate::support::seconds;

const NODE: &str = "/api/v1/nodes/node-1";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(2).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn pod(name: &str, node: &str, tolerations: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {
            "nodeName": node, "tolerations": tolerations, "containers": [{"name": "main", "image": "web:1"}],
        },
    })
}

fn tolerates(seconds: Value) -> Value {
    json!([{"key": "down", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds}])
}

async fn taint(api: &Api, effect: &str) {
    let taints = json!({"spec": {"taints": [{"key": "down", "effect": effect}]}});
    assert_eq!(api.merge(NODE, &taints).await.status, 200);
}

async fn untaint(api: &Api) {
    api.merge(NODE, &json!({"spec": {"taints": null}})).await;
}

/// Returns the messages of the Events about a pod, oldest first.
async fn messages(api: &Api, pod: &str) -> Vec<String> {
    let path = "/api/v1/namespaces/default/events?fieldSelector=reason%3DTaintManagerEviction,involvedObject.name%3D";
    let mut events = api.items(&format!("{path}{pod}")).await;
    events.sort_by_key(|event| event["metadata"]["creationTimestamp"].to_string()); // the names have no order
    assert!(events.iter().all(|event| {
        let source = &event["source"]["component"];
        event["type"] == "Normal" && source == "taint-eviction-controller" && event["involvedObject"]["kind"] == "Pod"
    }));
    events.iter().map(|event| event["message"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn pods_that_do_not_tolerate_the_taint_are_deleted_at_once_with_a_condition() {
    let (cluster, api) = running();
    let mut held = pod("a", "node-1", &json!([]));
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.created(PODS, &held).await;
    api.created(PODS, &pod("other", "node-2", &json!([]))).await;
    api.created(PODS, &pod("tolerant", "node-1", &tolerates(Value::Null))).await;
    seconds(3).await;
    taint(&api, "NoExecute").await;
    seconds(3).await;
    let evicted = api.get(&format!("{PODS}/a")).await.body;
    assert!(evicted["metadata"]["deletionTimestamp"].is_string(), "{evicted}");
    let conditions = evicted["status"]["conditions"].as_array().unwrap();
    let condition = conditions.iter().find(|condition| condition["type"] == "DisruptionTarget").unwrap();
    let said = ["status", "reason", "message"].map(|field| condition[field].as_str().unwrap());
    assert_eq!(said, ["True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"]);
    assert_eq!(condition["observedGeneration"], 1);
    assert_eq!(messages(&api, "a").await, ["Marking for deletion Pod default/a"]);
    for stays in ["other", "tolerant"] {
        let pod = api.get(&format!("{PODS}/{stays}")).await.body;
        assert!(pod["metadata"]["deletionTimestamp"].is_null(), "{pod}");
        assert!(messages(&api, stays).await.is_empty());
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_stays_for_the_seconds_that_it_tolerates_the_taint() {
    let (cluster, api) = running();
    api.created(PODS, &pod("a", "node-1", &tolerates(json!(30)))).await;
    seconds(3).await;
    taint(&api, "NoExecute").await;
    seconds(29).await;
    assert!(api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionTimestamp"].is_null());
    seconds(5).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
    assert_eq!(messages(&api, "a").await, ["Marking for deletion Pod default/a"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_stays_if_the_taint_goes_in_time() {
    let (cluster, api) = running();
    api.created(PODS, &pod("a", "node-1", &tolerates(json!(30)))).await;
    seconds(3).await;
    taint(&api, "NoExecute").await;
    seconds(20).await;
    untaint(&api).await;
    seconds(60).await;
    assert!(api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionTimestamp"].is_null());
    assert_eq!(messages(&api, "a").await, ["Cancelling deletion of Pod default/a"]);

    taint(&api, "NoExecute").await;
    seconds(29).await;
    assert!(
        api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionTimestamp"].is_null(),
        "the time starts anew"
    );
    seconds(5).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_taint_that_comes_back_before_the_first_time_is_over_evicts_the_pod_too() {
    let (cluster, api) = running();
    api.created(PODS, &pod("a", "node-1", &tolerates(json!(100)))).await;
    seconds(3).await;
    taint(&api, "NoExecute").await;
    seconds(50).await;
    untaint(&api).await;
    seconds(10).await;
    taint(&api, "NoExecute").await;
    seconds(99).await;
    assert!(api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionTimestamp"].is_null());
    seconds(5).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
    assert_eq!(
        messages(&api, "a").await,
        ["Cancelling deletion of Pod default/a", "Marking for deletion Pod default/a"]
    );
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_comes_to_a_tainted_node_is_evicted_too() {
    let (cluster, api) = running();
    taint(&api, "NoExecute").await;
    seconds(3).await;
    api.created(PODS, &pod("a", "node-1", &tolerates(json!(10)))).await;
    seconds(8).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 200);
    seconds(5).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn other_taints_evict_no_pods() {
    let (cluster, api) = running();
    api.created(PODS, &pod("a", "node-1", &json!([]))).await;
    seconds(3).await;
    taint(&api, "NoSchedule").await;
    seconds(60).await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["status"]["phase"], "Running");
    cluster.shutdown().await;
}
