//! Tests the resource quota controller in a whole in-memory cluster.

use kube_testcluster::{Admission, Cluster, ControllerName, Controllers};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};
use crate::support::seconds;

const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns a cluster in which only the quota controller works.
async fn alone() -> (Cluster, Api) {
    let only = [ControllerName::ResourceQuota].into_iter().collect();
    let cluster = quiet().admission(Admission::Kube).controllers(Controllers::Only(only)).start();
    let api = Api::new(&cluster);
    seconds(1).await; // the service account of the namespace
    (cluster, api)
}

async fn quota(api: &Api, hard: &Value) {
    api.created(QUOTAS, &json!({"metadata": {"name": "q"}, "spec": {"hard": hard}})).await;
    seconds(1).await;
}

async fn status(api: &Api) -> Value {
    api.get(&format!("{QUOTAS}/q")).await.body["status"].clone()
}

async fn used(api: &Api) -> Value {
    status(api).await["used"].clone()
}

fn pod(name: &str) -> Value {
    let resources = json!({"requests": {"cpu": "100m"}});
    let containers = json!([{"name": "main", "image": "nginx", "resources": resources}]);
    json!({"metadata": {"name": name}, "spec": {"containers": containers}})
}

#[tokio::test(start_paused = true)]
async fn a_new_quota_counts_what_exists() {
    let (cluster, api) = alone().await;
    api.created(PODS, &pod("a")).await;
    api.created(PODS, &pod("b")).await;
    api.created(MAPS, &json!({"metadata": {"name": "own"}})).await;
    let hard = json!({"pods": "3", "requests.cpu": "1", "configmaps": "5", "count/deployments.apps": "1"});
    quota(&api, &hard).await;
    // One config map is that of the root certificate.
    let used = json!({"pods": "2", "requests.cpu": "200m", "configmaps": "2", "count/deployments.apps": "0"});
    assert_eq!(status(&api).await, json!({"hard": hard, "used": used}));
    let patch = json!({"spec": {"hard": {"pods": "1", "configmaps": null}}});
    assert_eq!(api.merge(&format!("{QUOTAS}/q"), &patch).await.status, 200);
    seconds(1).await;
    let hard = json!({"pods": "1", "requests.cpu": "1", "count/deployments.apps": "1"});
    let used = json!({"pods": "2", "requests.cpu": "200m", "count/deployments.apps": "0"});
    assert_eq!(status(&api).await, json!({"hard": hard, "used": used}));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_gives_back_what_the_object_used() {
    let (cluster, api) = alone().await;
    quota(&api, &json!({"pods": "1", "requests.cpu": "150m"})).await;
    api.created(PODS, &pod("a")).await;
    assert_eq!(api.post(PODS, &pod("b")).await.status, 403);
    assert_eq!(api.delete(&format!("{PODS}/a?gracePeriodSeconds=0")).await.status, 200);
    seconds(1).await;
    assert_eq!(used(&api).await, json!({"pods": "0", "requests.cpu": "0"}));
    api.created(PODS, &pod("b")).await;
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_ended_pod_only_counts_as_an_object() {
    let (cluster, api) = alone().await;
    quota(&api, &json!({"pods": "1", "count/pods": "2"})).await;
    api.created(PODS, &pod("a")).await;
    assert_eq!(api.merge(&format!("{PODS}/a/status"), &json!({"status": {"phase": "Succeeded"}})).await.status, 200);
    seconds(1).await;
    assert_eq!(used(&api).await, json!({"pods": "0", "count/pods": "1"}));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_status_is_right_after_many_requests_at_once() {
    let (cluster, api) = alone().await;
    quota(&api, &json!({"pods": "10"})).await;
    let names: Vec<String> = (0..8).map(|n| format!("pod-{n}")).collect();
    let churn = async |name: &String| {
        api.post(PODS, &pod(name)).await;
        if name != "pod-0" {
            api.delete(&format!("{PODS}/{name}?gracePeriodSeconds=0")).await;
        }
    };
    futures::future::join_all(names.iter().map(churn)).await;
    seconds(5).await;
    assert_eq!((used(&api).await, api.get(PODS).await.names()), (json!({"pods": "1"}), vec!["pod-0"]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn custom_resources_are_counted() {
    let (cluster, api) = alone().await;
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    let names = json!({"plural": "widgets", "kind": "Widget"});
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]});
    let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": spec});
    api.created("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    let widgets = "/apis/example.com/v1/namespaces/default/widgets";
    let widget = |name: &str| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}});
    api.created(widgets, &widget("a")).await;
    quota(&api, &json!({"count/widgets.example.com": "2"})).await;
    api.created(widgets, &widget("b")).await;
    let refused = api.post(widgets, &widget("c")).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    api.delete(&format!("{widgets}/a")).await;
    seconds(1).await;
    assert_eq!(used(&api).await, json!({"count/widgets.example.com": "1"}));
    cluster.shutdown().await;
}

/// The controller begins to count a custom resource when its definition comes, and goes on with the other limits of the
/// quota when the definition goes.
#[tokio::test(start_paused = true)]
async fn a_quota_may_name_a_resource_that_comes_later_and_goes_again() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
    let (cluster, api) = alone().await;
    quota(&api, &json!({"pods": "1", "count/widgets.example.com": "1"})).await;
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
    }});
    api.created(DEFINITIONS, &definition).await;
    seconds(1).await;
    let widget = |name: &str| json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}});
    api.created(WIDGETS, &widget("a")).await;
    assert_eq!(api.post(WIDGETS, &widget("b")).await.status, 403);

    assert_eq!(api.delete(&format!("{DEFINITIONS}/widgets.example.com")).await.status, 200);
    api.created(PODS, &pod("a")).await;
    assert_eq!(api.delete(&format!("{PODS}/a?gracePeriodSeconds=0")).await.status, 200);
    seconds(5).await;
    assert_eq!(used(&api).await["pods"], "0");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn objects_that_come_while_a_quota_is_calculated_for_the_first_time_are_counted() {
    let (cluster, api) = alone().await;
    api.created(QUOTAS, &json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "9", "secrets": "9"}}})).await;
    for number in 0..5 {
        api.created(PODS, &pod(&format!("p{number}"))).await;
        tokio::task::yield_now().await;
    }
    seconds(1).await;
    assert_eq!(used(&api).await["pods"], "5");
    cluster.shutdown().await;
}
