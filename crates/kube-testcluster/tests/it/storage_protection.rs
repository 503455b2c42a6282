//! Tests the protection of claims and volumes in use: the admission plugin `StorageObjectInUseProtection`, and the two
//! controllers.

use kube_testcluster::{Admission, Cluster, Controllers};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};
use crate::support::seconds;

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const CLAIM: &str = "/api/v1/namespaces/default/persistentvolumeclaims/c";
const VOLUMES: &str = "/api/v1/persistentvolumes";
const VOLUME: &str = "/api/v1/persistentvolumes/v";

/// Returns a cluster with the controllers that deletions need.
async fn start() -> (Cluster, Api) {
    let cluster = quiet().admission(Admission::Kube).controllers(Controllers::Housekeeping).start();
    let api = Api::new(&cluster);
    seconds(1).await; // the service account of the namespace
    (cluster, api)
}

async fn claim(api: &Api) -> Value {
    let resources = json!({"requests": {"storage": "1Gi"}});
    let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": resources});
    api.created(CLAIMS, &json!({"metadata": {"name": "c"}, "spec": spec})).await
}

async fn pod(api: &Api) {
    let volumes = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]);
    let spec = json!({"containers": [{"name": "main", "image": "nginx"}], "volumes": volumes});
    api.created(PODS, &json!({"metadata": {"name": "p"}, "spec": spec})).await;
}

#[tokio::test(start_paused = true)]
async fn a_claim_stays_until_its_pod_is_gone() {
    let (cluster, api) = start().await;
    assert_eq!(claim(&api).await["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    pod(&api).await;
    api.bind("p").await;
    api.delete(CLAIM).await;
    seconds(1).await;
    assert!(api.get(CLAIM).await.body["metadata"]["deletionTimestamp"].is_string());
    api.delete(&format!("{PODS}/p?gracePeriodSeconds=0")).await;
    seconds(1).await;
    assert_eq!(api.get(CLAIM).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_without_a_node_holds_no_claim() {
    let (cluster, api) = start().await;
    claim(&api).await;
    pod(&api).await;
    api.delete(CLAIM).await;
    seconds(1).await;
    assert_eq!(api.get(CLAIM).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_bound_claim_says_if_it_is_used() {
    let (cluster, api) = start().await;
    claim(&api).await;
    api.merge(&format!("{CLAIM}/status"), &json!({"status": {"phase": "Bound"}})).await;
    seconds(1).await;
    let unused = async || {
        let condition = api.get(CLAIM).await.body["status"]["conditions"][0].clone();
        (condition["type"].clone(), condition["status"].clone(), condition["reason"].clone())
    };
    assert_eq!(unused().await, (json!("Unused"), json!("True"), json!("NoPodsUsingPVC")));
    pod(&api).await;
    seconds(1).await;
    assert_eq!(unused().await, (json!("Unused"), json!("False"), json!("PodUsingPVC")));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_volume_stays_while_it_is_bound() {
    let (cluster, api) = start().await;
    let spec = json!({"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/v"}});
    let made = api.created(VOLUMES, &json!({"metadata": {"name": "v"}, "spec": spec})).await;
    assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pv-protection"]));
    let phase = async |phase: &str| api.merge(&format!("{VOLUME}/status"), &json!({"status": {"phase": phase}})).await;
    phase("Bound").await;
    api.delete(VOLUME).await;
    seconds(1).await;
    assert_eq!(api.get(VOLUME).await.status, 200);
    phase("Released").await;
    seconds(1).await;
    assert_eq!(api.get(VOLUME).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_plain_cluster_protects_nothing() {
    let cluster = quiet().controllers(Controllers::All).start();
    let api = Api::new(&cluster);
    claim(&api).await;
    seconds(1).await;
    assert!(api.get(CLAIM).await.body["metadata"].get("finalizers").is_none());
    assert_eq!(api.delete(CLAIM).await.status, 200);
    assert_eq!(api.get(CLAIM).await.status, 404);
    cluster.shutdown().await;
}
