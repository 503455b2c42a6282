//! Tests the controller that makes the claims of ephemeral volumes, in a whole in-memory cluster.

use kube_testcluster::{Admission, Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS};
use crate::support::seconds;

const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";
const CLAIM: &str = "/api/v1/namespaces/default/persistentvolumeclaims/p-tmp";
const EVENTS: &str = "/api/v1/namespaces/default/events";

async fn start() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1).admission(Admission::Kube).start();
    let api = Api::new(&cluster);
    seconds(1).await; // the service account of the namespace
    (cluster, api)
}

fn spec() -> Value {
    json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})
}

/// Returns the pod `p` with the ephemeral volume `tmp`.
fn pod() -> Value {
    let template = json!({"metadata": {"labels": {"kind": "scratch"}}, "spec": spec()});
    let volumes = json!([{"name": "tmp", "ephemeral": {"volumeClaimTemplate": template}}]);
    let mounts = json!([{"name": "tmp", "mountPath": "/tmp"}]);
    let containers = json!([{"name": "main", "image": "nginx", "volumeMounts": mounts}]);
    let spec = json!({"containers": containers, "volumes": volumes, "terminationGracePeriodSeconds": 0});
    json!({"metadata": {"name": "p"}, "spec": spec})
}

async fn messages(api: &Api, reason: &str) -> Vec<String> {
    let events = api.items(EVENTS).await;
    let own = events.iter().filter(|event| event["reason"] == reason);
    own.map(|event| event["message"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_pod_owns_the_claim_of_its_ephemeral_volume() {
    let (cluster, api) = start().await;
    let uid = api.created(PODS, &pod()).await["metadata"]["uid"].clone();
    seconds(5).await;
    let claim = api.get(CLAIM).await.body;
    let owner = json!({
        "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": uid, "controller": true, "blockOwnerDeletion": true,
    });
    assert_eq!(claim["metadata"]["ownerReferences"], json!([owner]));
    assert_eq!((&claim["metadata"]["labels"]["kind"], &claim["status"]["phase"]), (&json!("scratch"), &json!("Bound")));
    assert_eq!(api.get(&format!("{PODS}/p")).await.body["status"]["phase"], "Running");
    let scheduling = messages(&api, "FailedScheduling").await;
    assert!(
        scheduling[0].contains("waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-tmp\"")
    );
    api.delete(&format!("{PODS}/p")).await;
    seconds(5).await;
    assert_eq!(api.get(CLAIM).await.status, 404, "the garbage collector deletes it");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_pod_waits_while_the_claim_belongs_to_another() {
    let (cluster, api) = start().await;
    api.created(CLAIMS, &json!({"metadata": {"name": "p-tmp"}, "spec": spec()})).await;
    api.created(PODS, &pod()).await;
    seconds(10).await;
    let why = "PVC default/p-tmp was not created for pod default/p (pod is not owner)";
    assert_eq!(messages(&api, "FailedBinding").await, [format!("ephemeral volume tmp: {why}")]);
    let waiting = api.get(&format!("{PODS}/p")).await.body;
    let condition = &waiting["status"]["conditions"][0];
    assert!(condition["message"].as_str().unwrap().starts_with(&format!("0/1 nodes are available: {why}.")));
    api.delete(CLAIM).await;
    seconds(5).await;
    assert_eq!(api.get(&format!("{PODS}/p")).await.body["status"]["phase"], "Running");
    cluster.shutdown().await;
}
