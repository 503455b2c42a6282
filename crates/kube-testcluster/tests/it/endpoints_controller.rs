//! Tests the Endpoints controller in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS};
use crate::support::seconds;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const WEB: &str = "/api/v1/namespaces/default/services/web";
const ENDPOINTS: &str = "/api/v1/namespaces/default/endpoints";
const OF_WEB: &str = "/api/v1/namespaces/default/endpoints/web";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn service(spec: &Value) -> Value {
    let mut service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "labels": {"team": "a"}},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http", "name": "http"}]},
    });
    for (field, value) in spec.as_object().unwrap() {
        service["spec"][field] = value.clone();
    }
    service
}

fn pod(name: &str, port: u16) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"containers": [{"name": "main", "image": "web:1", "ports": [{"name": "http", "containerPort": port}]}]},
    })
}

async fn subsets(api: &Api) -> Value {
    api.get(OF_WEB).await.body["subsets"].clone()
}

/// Returns the address of a pod as its Endpoints have it.
async fn address(api: &Api, name: &str) -> Value {
    let pod = api.get(&format!("{PODS}/{name}")).await.body;
    json!({
        "ip": pod["status"]["podIP"], "nodeName": "node-1",
        "targetRef": {"kind": "Pod", "namespace": "default", "name": name, "uid": pod["metadata"]["uid"]},
    })
}

#[tokio::test(start_paused = true)]
async fn endpoints_have_the_ready_and_the_other_addresses_of_the_selected_pods() {
    let (cluster, api) = running();
    api.created(SERVICES, &service(&json!({}))).await;
    api.created(PODS, &pod("a", 8080)).await;
    let mut slow = pod("b", 8080);
    slow["metadata"]["labels"]["lab/lifecycle"] = json!("never-ready");
    api.created(PODS, &slow).await;
    seconds(3).await;
    let endpoints = api.get(OF_WEB).await.body;
    assert_eq!(
        endpoints["metadata"]["labels"],
        json!({"team": "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller"})
    );
    let expected = json!([{
        "addresses": [address(&api, "a").await], "notReadyAddresses": [address(&api, "b").await],
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
    }]);
    assert_eq!(endpoints["subsets"], expected);

    let version = endpoints["metadata"]["resourceVersion"].clone();
    api.merge(&format!("{PODS}/a"), &json!({"metadata": {"annotations": {"note": "no change of the endpoint"}}})).await;
    api.merge(WEB, &json!({"metadata": {"annotations": {"note": "no change of the endpoints"}}})).await;
    seconds(3).await;
    assert_eq!(api.get(OF_WEB).await.body["metadata"]["resourceVersion"], version);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn addresses_with_other_ports_are_in_another_subset() {
    let (cluster, api) = running();
    let ports = json!([
        {"port": 80, "targetPort": "http", "name": "http"}, {"port": 81, "targetPort": 9100, "name": "metrics"},
    ]);
    api.created(SERVICES, &service(&json!({"ports": ports}))).await;
    api.created(PODS, &pod("a", 8080)).await;
    api.created(PODS, &pod("b", 9090)).await;
    seconds(3).await;
    let (a, b) = (address(&api, "a").await, address(&api, "b").await);
    let expected = json!([
        {"addresses": [a.clone()], "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]},
        {"addresses": [b.clone()], "ports": [{"name": "http", "port": 9090, "protocol": "TCP"}]},
        {"addresses": [a, b], "ports": [{"name": "metrics", "port": 9100, "protocol": "TCP"}]},
    ]);
    let mut found = subsets(&api).await.as_array().unwrap().clone();
    found.sort_by_key(|subset| subset["ports"][0]["port"].as_i64());
    assert_eq!(json!(found), expected, "{found:?}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn endpoints_follow_pods_and_labels_and_go_with_the_service() {
    let (cluster, api) = running();
    api.created(SERVICES, &service(&json!({}))).await;
    seconds(3).await;
    assert_eq!(subsets(&api).await, Value::Null, "a service without pods has empty Endpoints");
    api.created(PODS, &pod("a", 8080)).await;
    seconds(3).await;
    let full = subsets(&api).await;
    assert_eq!(full[0]["addresses"].as_array().map(Vec::len), Some(1));

    api.delete(OF_WEB).await;
    seconds(3).await;
    assert_eq!(subsets(&api).await, full, "deleted Endpoints are created again");

    api.merge(WEB, &json!({"metadata": {"labels": {"team": "b"}}})).await;
    api.delete(&format!("{PODS}/a")).await;
    seconds(3).await;
    let endpoints = api.get(OF_WEB).await.body;
    assert_eq!((&endpoints["subsets"], &endpoints["metadata"]["labels"]["team"]), (&Value::Null, &json!("b")));

    api.delete(WEB).await;
    seconds(3).await;
    assert_eq!(api.get(OF_WEB).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_headless_service_without_ports_has_addresses_and_host_names() {
    let (cluster, api) = running();
    let spec = json!({"clusterIP": "None", "ports": null, "publishNotReadyAddresses": true});
    api.created(SERVICES, &service(&spec)).await;
    let mut first = pod("a", 80);
    first["metadata"]["labels"]["lab/lifecycle"] = json!("never-ready");
    first["spec"]["hostname"] = json!("first");
    first["spec"]["subdomain"] = json!("web");
    api.created(PODS, &first).await;
    seconds(3).await;
    let endpoints = api.get(OF_WEB).await.body;
    assert_eq!(endpoints["metadata"]["labels"]["service.kubernetes.io/headless"], "");
    let mut address = address(&api, "a").await;
    address["hostname"] = json!("first");
    assert_eq!(endpoints["subsets"], json!([{"addresses": [address]}]));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn too_many_addresses_are_cut_and_an_annotation_says_so() {
    let (cluster, api) = running();
    let cut = json!("truncated");
    let annotation =
        |endpoints: &Value| endpoints["metadata"]["annotations"]["endpoints.kubernetes.io/over-capacity"].clone();
    for n in 0..1001 {
        api.created(
            PODS,
            &json!({
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("p{n}"), "labels": {"app": "web"}},
                "spec": {"nodeName": "elsewhere", "containers": [{"name": "main", "image": "web:1"}]},
            }),
        )
        .await;
        let ip = format!("10.1.{}.{}", n / 250, n % 250 + 1);
        let status = json!({"status": {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}]}});
        api.merge(&format!("{PODS}/p{n}/status"), &status).await;
    }
    api.created(SERVICES, &service(&json!({"ports": [{"port": 80}]}))).await;
    seconds(3).await;
    let endpoints = api.get(OF_WEB).await.body;
    let addresses = |endpoints: &Value| endpoints["subsets"][0]["notReadyAddresses"].as_array().unwrap().len();
    assert_eq!((annotation(&endpoints), addresses(&endpoints)), (cut, 1000));
    api.delete(&format!("{PODS}/p7?gracePeriodSeconds=0")).await;
    seconds(3).await;
    let endpoints = api.get(OF_WEB).await.body;
    assert_eq!((annotation(&endpoints), addresses(&endpoints)), (Value::Null, 1000));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_endpoints_of_a_user_stay_until_their_service_is_deleted() {
    let (cluster, api) = running();
    let own = json!({
        "apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "web"},
        "subsets": [{"addresses": [{"ip": "192.0.2.1"}], "ports": [{"port": 80}]}],
    });
    api.created(ENDPOINTS, &own).await;
    api.created(SERVICES, &service(&json!({"selector": null}))).await;
    seconds(3).await;
    assert_eq!(subsets(&api).await[0]["addresses"][0]["ip"], "192.0.2.1");
    api.delete(WEB).await;
    seconds(3).await;
    assert_eq!(api.get(OF_WEB).await.status, 404);

    let mut other = own.clone();
    other["metadata"]["name"] = json!("other");
    api.created(ENDPOINTS, &other).await;
    api.created(SERVICES, &service(&json!({}))).await;
    seconds(3).await;
    assert_eq!(api.get(&format!("{ENDPOINTS}/other")).await.status, 200, "it never had a service");
    cluster.shutdown().await;
}
