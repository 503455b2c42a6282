//! Tests the disruption controller in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::{Cluster, ControllerName, Controllers, Stages};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet};
use crate::support::seconds;

const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const BUDGET: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/b";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

/// Returns a cluster in which pods run and are ready a moment after their creation.
fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns a cluster in which only the disruption controller works.
fn alone() -> (Cluster, Api) {
    let only = [ControllerName::Disruption].into_iter().collect();
    let cluster = quiet().controllers(Controllers::Only(only)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Creates the budget `b` of the pods with the label `app=web`, and waits until the controller has seen it.
async fn budget(api: &Api, limit: Value) {
    budget_named(api, "b", limit).await;
    seconds(3).await;
}

async fn budget_named(api: &Api, name: &str, mut spec: Value) {
    spec["selector"] = json!({"matchLabels": {"app": "web"}});
    let budget =
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": spec});
    let made = api.post(BUDGETS, &budget).await;
    assert_eq!(made.status, 201, "{}", made.body);
}

fn workload(api_version: &str, kind: &str, replicas: i64) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind, "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"terminationGracePeriodSeconds": 0, "containers": [{"name": "main", "image": "web:1"}]},
            },
        },
    })
}

/// Creates a ready pod with the label `app=web`. `owner` is its controller.
async fn ready_pod(api: &Api, name: &str, owner: Option<&Value>) {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "web:1"}]},
    });
    if let Some(owner) = owner {
        pod["metadata"]["ownerReferences"] = json!([{
            "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"], "controller": true,
        }]);
    }
    let made = api.post(PODS, &pod).await;
    assert_eq!(made.status, 201, "{}", made.body);
    api.bind(name).await;
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]});
    assert_eq!(api.merge(&format!("{PODS}/{name}/status"), &json!({"status": status})).await.status, 200);
}

async fn evict(api: &Api, pod: &str) -> Answer {
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}});
    api.post(&format!("{PODS}/{pod}/eviction"), &eviction).await
}

async fn status(api: &Api) -> Value {
    api.get(BUDGET).await.body["status"].clone()
}

/// Returns expected, desired and healthy pods, and the allowed disruptions.
async fn counts(api: &Api) -> [i64; 4] {
    let status = status(api).await;
    ["expectedPods", "desiredHealthy", "currentHealthy", "disruptionsAllowed"]
        .map(|field| status[field].as_i64().unwrap_or(-1))
}

/// Returns the type and the message of each Event with this reason.
async fn events(api: &Api, reason: &str) -> Vec<String> {
    let events = api.items("/api/v1/namespaces/default/events").await;
    let events = events.iter().filter(|event| event["reason"] == reason);
    events.map(|event| format!("{} {}", event["type"].as_str().unwrap(), event["message"].as_str().unwrap())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_drain_takes_one_pod_after_the_other() {
    let (cluster, api) = running();
    api.post(DEPLOYMENTS, &workload("apps/v1", "Deployment", 3)).await;
    seconds(3).await;
    budget(&api, json!({"minAvailable": 2})).await;
    assert_eq!(counts(&api).await, [3, 2, 3, 1]);
    let computed = status(&api).await;
    let condition = &computed["conditions"][0];
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("True"), &json!("SufficientPods")));
    assert_eq!((&computed["observedGeneration"], computed.get("disruptedPods")), (&json!(1), None));

    let pods = api.get(PODS).await;
    let (first, second) = (pods.names()[0], pods.names()[1]);
    assert_eq!(evict(&api, first).await.status, 201);
    assert_eq!(evict(&api, second).await.status, 429);
    seconds(3).await;
    assert_eq!(counts(&api).await, [3, 2, 3, 1], "the new pod counts instead");
    assert_eq!(status(&api).await.get("disruptedPods"), None);
    assert_eq!(evict(&api, second).await.status, 201);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn percentages_are_those_of_the_scale_of_the_controllers() {
    for (api_version, kind, path) in [
        ("v1", "ReplicationController", "/api/v1/namespaces/default/replicationcontrollers"),
        ("apps/v1", "ReplicaSet", "/apis/apps/v1/namespaces/default/replicasets"),
        ("apps/v1", "StatefulSet", "/apis/apps/v1/namespaces/default/statefulsets"),
    ] {
        let (cluster, api) = alone();
        let mut owner = workload(api_version, kind, 5);
        if kind == "ReplicationController" {
            owner["spec"]["selector"] = json!({"app": "web"});
        }
        let owner = api.post(path, &owner).await;
        assert_eq!(owner.status, 201, "{}", owner.body);
        for name in ["x", "y", "z"] {
            ready_pod(&api, name, Some(&owner.body)).await;
        }
        budget(&api, json!({"maxUnavailable": "50%"})).await;
        assert_eq!(counts(&api).await, [5, 2, 3, 1], "{kind}");
        api.merge(BUDGET, &json!({"spec": {"maxUnavailable": null, "minAvailable": "50%"}})).await;
        seconds(3).await;
        assert_eq!(
            (counts(&api).await, &status(&api).await["observedGeneration"]),
            ([5, 3, 3, 0], &json!(2)),
            "{kind}"
        );
        cluster.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_scale_of_a_deployment_counts_once_for_all_its_replica_sets() {
    let (cluster, api) = running();
    let path = format!("{DEPLOYMENTS}/web");
    api.post(DEPLOYMENTS, &workload("apps/v1", "Deployment", 4)).await;
    seconds(3).await;
    let broken = json!([{"name": "main", "image": "web:2", "command": ["no"]}]);
    let lifecycle = json!({"app": "web", "lab/lifecycle": "never-ready"});
    let template = json!({"metadata": {"labels": lifecycle}, "spec": {"containers": broken}});
    api.merge(&path, &json!({"spec": {"template": template}})).await;
    seconds(3).await;
    budget(&api, json!({"maxUnavailable": "25%"})).await;
    assert!(api.get(PODS).await.names().len() > 4, "the rollout is stuck between two ReplicaSets");
    assert_eq!(counts(&api).await, [4, 3, 3, 0]);
    cluster.shutdown().await;
}

fn definition(subresources: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "shops.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "shops", "singular": "shop", "kind": "Shop"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": subresources,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

async fn shop(api: &Api, subresources: &Value) -> Value {
    let made = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition(subresources)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    seconds(1).await;
    let shop = json!({
        "apiVersion": "example.com/v1", "kind": "Shop", "metadata": {"name": "corner"}, "spec": {"replicas": 4},
    });
    let shop = api.post("/apis/example.com/v1/namespaces/default/shops", &shop).await;
    assert_eq!(shop.status, 201, "{}", shop.body);
    shop.body
}

#[tokio::test(start_paused = true)]
async fn a_custom_resource_with_a_scale_counts_as_a_controller() {
    let (cluster, api) = alone();
    let paths = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    let shop = shop(&api, &json!({"scale": paths})).await;
    ready_pod(&api, "x", Some(&shop)).await;
    ready_pod(&api, "y", Some(&shop)).await;
    budget(&api, json!({"minAvailable": "25%"})).await;
    assert_eq!(counts(&api).await, [4, 1, 2, 1]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_a_scale_fails_the_sync_and_refuses_evictions() {
    let (cluster, api) = alone();
    let shop = shop(&api, &json!({})).await;
    ready_pod(&api, "x", Some(&shop)).await;
    budget(&api, json!({"maxUnavailable": 1})).await;
    let why = "shops.example.com does not implement the scale subresource";
    let status = status(&api).await;
    let condition = &status["conditions"][0];
    assert_eq!((&condition["status"], &condition["reason"]), (&json!("False"), &json!("SyncFailed")));
    assert_eq!((&condition["message"], &status["disruptionsAllowed"]), (&json!(why), &json!(0)));
    let expected = format!("Warning Failed to calculate the number of expected pods: {why}");
    assert!(events(&api, "CalculateExpectedPodCountFailed").await.contains(&expected));
    assert_eq!(evict(&api, "x").await.status, 429);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_budget_without_pods_allows_nothing() {
    let (cluster, api) = alone();
    budget(&api, json!({"minAvailable": 0})).await;
    assert_eq!(counts(&api).await, [0, 0, 0, 0]);
    assert!(events(&api, "NoPods").await.contains(&"Normal No matching pods found".to_owned()));
    ready_pod(&api, "x", None).await;
    seconds(3).await;
    assert_eq!(counts(&api).await, [1, 0, 1, 1], "a pod without a controller counts for a number");
    api.delete(&format!("{PODS}/x?gracePeriodSeconds=0")).await;
    seconds(3).await;
    assert_eq!(counts(&api).await, [0, 0, 0, 0]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pods_without_a_controller_are_reported_if_their_scale_matters() {
    let (cluster, api) = alone();
    ready_pod(&api, "x", None).await;
    budget(&api, json!({"maxUnavailable": 1})).await;
    assert_eq!(counts(&api).await, [0, 0, 1, 0]);
    let message = events(&api, "UnmanagedPods").await.remove(0);
    let selector =
        "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}";
    let start = format!(
        "Warning Pods selected by this PodDisruptionBudget (selector: {selector}) were found to be unmanaged. As a result, "
    );
    assert!(message.starts_with(&start), "{message}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_evicted_pod_that_is_not_deleted_counts_again_after_two_minutes() {
    let (cluster, api) = alone();
    ready_pod(&api, "x", None).await;
    ready_pod(&api, "y", None).await;
    budget(&api, json!({"minAvailable": 1})).await;
    let now = api.get(BUDGET).await.body["status"]["conditions"][0]["lastTransitionTime"].clone();
    let disrupted = json!({"status": {"disruptedPods": {"x": now, "gone": now}}});
    assert_eq!(api.merge(&format!("{BUDGET}/status"), &disrupted).await.status, 200);
    seconds(1).await;
    assert_eq!(counts(&api).await, [2, 1, 1, 0]);
    assert_eq!(status(&api).await["disruptedPods"], json!({"x": now}));
    seconds(120).await;
    assert_eq!(counts(&api).await, [2, 1, 2, 1]);
    assert_eq!(status(&api).await.get("disruptedPods"), None);
    let expected = "Warning Pod was expected by PDB default/default to be deleted but it wasn't";
    assert_eq!(events(&api, "NotDeleted").await, [expected]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_was_to_be_deleted_and_stays_loses_its_condition() {
    let (cluster, api) = alone();
    budget(&api, json!({"minAvailable": 1})).await;
    ready_pod(&api, "x", None).await;
    let pod = format!("{PODS}/x");
    let ready = json!({"type": "Ready", "status": "True", "lastTransitionTime": "2023-05-01T10:00:00Z"});
    let target = json!({
        "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
        "lastTransitionTime": "2023-05-01T10:00:03Z",
    });
    let conditions = json!({"status": {"conditions": [ready, target]}});
    assert_eq!(api.merge(&format!("{pod}/status"), &conditions).await.status, 200);
    let condition = async || api.get(&pod).await.body["status"]["conditions"][1].clone();
    seconds(110).await;
    assert_eq!(condition().await["status"], "True");
    seconds(15).await;
    let reset = condition().await;
    assert_eq!((&reset["type"], &reset["status"]), (&json!("DisruptionTarget"), &json!("False")));
    assert_eq!(reset.get("reason"), None, "{reset}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn several_budgets_of_one_pod_are_reported() {
    let (cluster, api) = alone();
    budget_named(&api, "c", json!({"minAvailable": 1})).await;
    budget(&api, json!({"minAvailable": 1})).await;
    ready_pod(&api, "x", None).await;
    seconds(3).await;
    let expected =
        "Warning Pod \"default\"/\"x\" matches multiple PodDisruptionBudgets.  Chose \"b\" arbitrarily.".to_owned();
    assert!(events(&api, "MultiplePodDisruptionBudgets").await.contains(&expected));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_cluster_with_a_budget_writes_nothing() {
    let (cluster, api) = running();
    api.post(DEPLOYMENTS, &workload("apps/v1", "Deployment", 2)).await;
    budget(&api, json!({"maxUnavailable": "50%"})).await;
    seconds(10).await;
    let before = api.get(BUDGETS).await.body["metadata"]["resourceVersion"].clone();
    seconds(600).await;
    assert_eq!(api.get(BUDGETS).await.body["metadata"]["resourceVersion"], before);
    cluster.shutdown().await;
}
