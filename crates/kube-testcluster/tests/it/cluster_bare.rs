//! Tests a bare cluster: an API server alone, without controllers and kubelet, as envtest has it.

use kube_testcluster::Cluster;
use serde_json::json;

use crate::support::api::{Api, PODS, pod};

#[tokio::test(start_paused = true)]
async fn only_the_client_writes() {
    let cluster = Cluster::builder().bare().start();
    let api = Api::new(&cluster);
    assert_eq!(api.get("/api/v1/nodes").await.names(), [""; 0]);
    assert_eq!(api.post(PODS, &pod("a", &json!({"app": "a"}))).await.status, 201);
    let set = json!({"metadata": {"name": "s"}, "spec": {
        "selector": {"matchLabels": {"app": "s"}},
        "template": {"metadata": {"labels": {"app": "s"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    assert_eq!(api.post("/apis/apps/v1/namespaces/default/replicasets", &set).await.status, 201);
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    cluster.settled().await;
    assert_eq!(api.get(PODS).await.names(), ["a"]);
    let pod = api.get(&format!("{PODS}/a")).await.body;
    assert_eq!((&pod["status"]["phase"], &pod["spec"]["nodeName"]), (&json!("Pending"), &json!(null)));
    assert_eq!(pod["spec"]["priority"], 0, "kube-apiserver's admission plugins run");
    assert_eq!(pod["spec"]["serviceAccountName"], json!(null), "without controllers there are no service accounts");
}

#[tokio::test(start_paused = true)]
async fn the_kubernetes_service_exists_with_its_endpoints() {
    let api = Api::new(&Cluster::builder().bare().start());
    for path in [
        "/api/v1/namespaces/default/services/kubernetes",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
    ] {
        assert_eq!(api.get(path).await.status, 200, "{path}");
    }
    assert_eq!(api.get("/api/v1/namespaces/default/serviceaccounts").await.names(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_namespace_stays_because_no_controller_empties_it() {
    let api = Api::new(&Cluster::builder().bare().start());
    assert_eq!(api.post("/api/v1/namespaces", &json!({"metadata": {"name": "a"}})).await.status, 201);
    assert_eq!(api.delete("/api/v1/namespaces/a").await.status, 200);
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    assert_eq!(api.get("/api/v1/namespaces/a").await.body["status"]["phase"], "Terminating");
}
