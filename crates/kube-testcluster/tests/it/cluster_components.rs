//! Tests `componentstatuses`, the health of the cluster's components. Upstream: `pkg/registry/core/componentstatus`.

use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const COMPONENTS: &str = "/api/v1/componentstatuses";

fn component(name: &str, status: &str, message: &str) -> Value {
    json!({"metadata": {"name": name}, "conditions": [{"type": "Healthy", "status": status, "message": message}]})
}

#[tokio::test(start_paused = true)]
async fn running_components_are_healthy() {
    let api = Api::new(&quiet().start());
    let list = api.get(COMPONENTS).await;
    let all = ["controller-manager", "etcd-0", "scheduler"].map(|name| component(name, "True", "ok"));
    let expected = json!({"kind": "ComponentStatusList", "apiVersion": "v1", "metadata": {}, "items": all});
    assert_eq!((list.status, list.body), (200, expected));
    assert_eq!(list.headers["warning"], "299 - \"v1 ComponentStatus is deprecated in v1.19+\"");
    let one = api.get(&format!("{COMPONENTS}/scheduler")).await;
    let mut expected = component("scheduler", "True", "ok");
    expected["kind"] = json!("ComponentStatus");
    expected["apiVersion"] = json!("v1");
    assert_eq!((one.status, one.body), (200, expected));
    let table = api.table(COMPONENTS).await;
    assert_eq!(table["rows"][1]["cells"], json!(["etcd-0", "Healthy", "ok", ""]));
}

#[tokio::test(start_paused = true)]
async fn components_that_do_not_run_are_unhealthy() {
    let api = Api::new(&Cluster::builder().bare().start());
    let why = "Get \"https://127.0.0.1:10259/healthz\": dial tcp 127.0.0.1:10259: connect: connection refused";
    let items = api.items(COMPONENTS).await;
    assert_eq!(items[1..], [component("etcd-0", "True", "ok"), component("scheduler", "False", why)]);
    assert_eq!(api.table(COMPONENTS).await["rows"][2]["cells"], json!(["scheduler", "Unhealthy", why, ""]));
}

#[tokio::test(start_paused = true)]
async fn components_can_be_selected_by_name_and_have_no_labels() {
    let api = Api::new(&quiet().start());
    let selected = api.get(&format!("{COMPONENTS}?fieldSelector=metadata.name%3Detcd-0")).await;
    assert_eq!(selected.names(), ["etcd-0"]);
    assert!(api.get(&format!("{COMPONENTS}?labelSelector=a")).await.names().is_empty());
    assert_eq!(api.get(&format!("{COMPONENTS}?labelSelector=!a")).await.names().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn unknown_components_watches_and_writes_are_refused_as_by_upstream() {
    let api = Api::new(&quiet().start());
    let unknown = api.get(&format!("{COMPONENTS}/kubelet")).await;
    assert_eq!((unknown.status, unknown.message()), (500, "Component not found: kubelet"));
    let watch = api.get(&format!("{COMPONENTS}?watch=true")).await;
    let why = "watch is not supported on resources of kind \"componentstatuses\"";
    assert_eq!((watch.status, watch.message()), (405, why));
    assert_eq!(api.get("/api/v1/watch/componentstatuses").await.status, 404);
    assert_eq!(api.post(COMPONENTS, &json!({})).await.status, 405);
    assert_eq!(api.delete(&format!("{COMPONENTS}/scheduler")).await.status, 405);
    let rows = api.get("/api/v1").await.body["resources"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "componentstatuses").unwrap();
    let expected = json!({"name": "componentstatuses", "singularName": "componentstatus", "namespaced": false,
        "kind": "ComponentStatus", "verbs": ["get", "list"], "shortNames": ["cs"]});
    assert_eq!(row, &expected);
}
