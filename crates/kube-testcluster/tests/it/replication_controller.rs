//! Tests the controller of ReplicationControllers in a whole in-memory cluster. It shares its code with the controller
//! of ReplicaSets, whose tests are in `replica_set_controller.rs`.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod};
use crate::support::seconds;

const CONTROLLERS: &str = "/api/v1/namespaces/default/replicationcontrollers";
const WEB: &str = "/api/v1/namespaces/default/replicationcontrollers/web";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn controller(replicas: u32) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"app": "web"},
            "template": {
                "metadata": {"labels": {"app": "web", "tier": "front"}},
                "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
            },
        },
    })
}

async fn pods(api: &Api) -> Vec<Value> {
    api.items(PODS).await.into_iter().filter(|pod| pod["metadata"]["deletionTimestamp"].is_null()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_replication_controller_keeps_its_number_of_pods_and_reports_its_status() {
    let (cluster, api) = running();
    api.created(CONTROLLERS, &controller(2)).await;
    seconds(3).await;
    let web = api.get(WEB).await.body;
    let owner = json!([{
        "apiVersion": "v1", "kind": "ReplicationController", "name": "web", "uid": web["metadata"]["uid"],
        "controller": true, "blockOwnerDeletion": true,
    }]);
    let made = pods(&api).await;
    assert_eq!(made.iter().map(|pod| &pod["metadata"]["ownerReferences"]).collect::<Vec<_>>(), [&owner, &owner]);
    assert!(made[0]["metadata"]["name"].as_str().unwrap().starts_with("web-"), "{made:?}");
    assert_eq!(
        web["status"],
        json!({
            "replicas": 2, "fullyLabeledReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
            "observedGeneration": 1,
        })
    );
    api.merge(&format!("{WEB}/scale"), &json!({"spec": {"replicas": 1}})).await;
    seconds(3).await;
    assert_eq!(pods(&api).await.len(), 1);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_events_name_the_replication_controller_and_its_component() {
    let (cluster, api) = running();
    api.created(CONTROLLERS, &controller(1)).await;
    seconds(3).await;
    api.merge(WEB, &json!({"spec": {"replicas": 0}})).await;
    seconds(3).await;
    let events = api.items("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dweb").await;
    for (event, reason, start) in
        [(&events[0], "SuccessfulCreate", "Created pod: web-"), (&events[1], "SuccessfulDelete", "Deleted pod: web-")]
    {
        assert_eq!((&event["reason"], &event["type"]), (&json!(reason), &json!("Normal")));
        assert!(event["message"].as_str().unwrap().starts_with(start), "{event}");
        assert_eq!(event["source"], json!({"component": "replication-controller"}));
        let about = &event["involvedObject"];
        assert_eq!((&about["kind"], &about["apiVersion"]), (&json!("ReplicationController"), &json!("v1")));
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_matching_pod_without_a_controller_is_adopted_and_released_after_a_change_of_its_labels() {
    let (cluster, api) = running();
    api.created(PODS, &pod("mine", &json!({"app": "web"}))).await;
    api.created(CONTROLLERS, &controller(1)).await;
    seconds(3).await;
    let adopted = pods(&api).await;
    assert_eq!(adopted.len(), 1);
    assert_eq!(adopted[0]["metadata"]["ownerReferences"][0]["kind"], "ReplicationController");
    api.label("mine", &json!({"app": "other"})).await;
    seconds(3).await;
    let mine = api.get(&format!("{PODS}/mine")).await.body;
    assert!(mine["metadata"]["ownerReferences"].is_null(), "{mine}");
    assert_eq!(pods(&api).await.len(), 2, "the released pod is replaced");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pods_go_with_their_replication_controller() {
    let (cluster, api) = running();
    api.created(CONTROLLERS, &controller(2)).await;
    seconds(3).await;
    // As upstream, a deletion without a policy would leave the pods; kubectl sends this policy.
    api.delete(&format!("{WEB}?propagationPolicy=Background")).await;
    seconds(60).await;
    assert!(api.items(PODS).await.is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_replica_set_and_a_replication_controller_of_one_name_have_pods_of_their_own() {
    let (cluster, api) = running();
    api.created(CONTROLLERS, &controller(2)).await;
    let mut set = controller(1);
    (set["apiVersion"], set["kind"]) = (json!("apps/v1"), json!("ReplicaSet"));
    set["spec"]["selector"] = json!({"matchLabels": {"app": "web"}});
    api.created("/apis/apps/v1/namespaces/default/replicasets", &set).await;
    seconds(3).await;
    let owners = |kind: &str, pods: &[Value]| {
        pods.iter().filter(|pod| pod["metadata"]["ownerReferences"][0]["kind"] == kind).count()
    };
    let pods = pods(&api).await;
    assert_eq!((owners("ReplicationController", &pods), owners("ReplicaSet", &pods)), (2, 1));
    cluster.shutdown().await;
}
