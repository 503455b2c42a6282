//! Tests the EndpointSlice mirroring controller in a whole in-memory cluster.

use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::seconds;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const WEB: &str = "/api/v1/namespaces/default/services/web";
const ENDPOINTS: &str = "/api/v1/namespaces/default/endpoints";
const OF_WEB: &str = "/api/v1/namespaces/default/endpoints/web";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().nodes(0).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn service() -> Value {
    json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}})
}

fn endpoints(subsets: &Value) -> Value {
    json!({"metadata": {"name": "web", "labels": {"team": "a"}, "annotations": {"note": "b"}}, "subsets": subsets})
}

fn addresses(ips: &[&str]) -> Vec<Value> {
    ips.iter().map(|ip| json!({"ip": ip})).collect()
}

async fn slices(api: &Api) -> Vec<Value> {
    api.items(SLICES).await
}

#[tokio::test(start_paused = true)]
async fn endpoints_of_a_service_without_a_selector_become_slices() {
    let (cluster, api) = running();
    api.created(SERVICES, &service()).await;
    let subsets = json!([{
        "addresses": addresses(&["192.0.2.1", "2001:db8::1"]), "notReadyAddresses": addresses(&["192.0.2.2"]),
        "ports": [{"port": 8080}],
    }]);
    let made = api.created(ENDPOINTS, &endpoints(&subsets)).await;
    seconds(3).await;
    let mut slices = slices(&api).await;
    slices.sort_by_key(|slice| slice["addressType"].to_string());
    assert_eq!(slices.len(), 2, "{slices:?}");
    let endpoint = |ip: &str, ready: bool| json!({"addresses": [ip], "conditions": {"ready": ready}});
    assert_eq!(slices[0]["endpoints"], json!([endpoint("192.0.2.1", true), endpoint("192.0.2.2", false)]));
    assert_eq!(slices[1]["endpoints"], json!([endpoint("2001:db8::1", true)]));
    for slice in &slices {
        assert_eq!(slice["ports"], json!([{"name": "", "port": 8080, "protocol": "TCP"}]));
        let metadata = &slice["metadata"];
        let labels = json!({
            "team": "a", "kubernetes.io/service-name": "web",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        });
        assert_eq!((&metadata["labels"], &metadata["annotations"]), (&labels, &json!({"note": "b"})));
        assert_eq!(metadata["ownerReferences"][0]["uid"], made["metadata"]["uid"]);
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn slices_follow_the_endpoints_and_the_service() {
    let (cluster, api) = running();
    api.created(ENDPOINTS, &endpoints(&json!([{"addresses": addresses(&["192.0.2.1"]), "ports": [{"port": 80}]}])))
        .await;
    seconds(3).await;
    assert!(slices(&api).await.is_empty(), "there is no service");
    api.created(SERVICES, &service()).await;
    seconds(3).await;
    let first = slices(&api).await;
    assert_eq!(first.len(), 1);

    api.merge(OF_WEB, &json!({"subsets": [{"addresses": addresses(&["192.0.2.9"]), "ports": [{"port": 81}]}]})).await;
    seconds(3).await;
    let second = slices(&api).await;
    assert_eq!((second.len(), &second[0]["metadata"]["name"]), (1, &first[0]["metadata"]["name"]), "it is used again");
    assert_eq!(
        (&second[0]["ports"][0]["port"], &second[0]["endpoints"][0]["addresses"][0]),
        (&json!(81), &json!("192.0.2.9"))
    );

    api.delete(&format!("{SLICES}/{}", second[0]["metadata"]["name"].as_str().unwrap())).await;
    seconds(3).await;
    assert_eq!(slices(&api).await.len(), 1, "a deleted slice is made again");

    api.merge(OF_WEB, &json!({"metadata": {"labels": {"endpointslice.kubernetes.io/skip-mirror": "true"}}})).await;
    seconds(3).await;
    assert!(slices(&api).await.is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_service_that_gets_a_selector_has_no_mirrored_slices() {
    let (cluster, api) = running();
    api.created(SERVICES, &service()).await;
    api.created(ENDPOINTS, &endpoints(&json!([{"addresses": addresses(&["192.0.2.1"]), "ports": [{"port": 80}]}])))
        .await;
    seconds(3).await;
    assert_eq!(slices(&api).await.len(), 1);
    api.merge(WEB, &json!({"spec": {"selector": {"app": "web"}}})).await;
    seconds(5).await;
    let managers: Vec<Value> = slices(&api).await.iter().map(|slice| slice["metadata"]["labels"].clone()).collect();
    assert!(
        managers
            .iter()
            .all(|labels| labels["endpointslice.kubernetes.io/managed-by"] == "endpointslice-controller.k8s.io"),
        "{managers:?}"
    );
    cluster.shutdown().await;
}
