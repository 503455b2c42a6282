//! Tests the kinds of `storage.k8s.io` beyond their validation: generations, warnings, and what an update of the status
//! cannot change.

use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const DRIVERS: &str = "/apis/storage.k8s.io/v1/csidrivers";
const ATTACHMENTS: &str = "/apis/storage.k8s.io/v1/volumeattachments";
const LABEL: &str = "beta.kubernetes.io/arch";

fn named(name: &str, spec: &Value) -> Value {
    json!({"metadata": {"name": name}, "spec": spec})
}

#[tokio::test(start_paused = true)]
async fn the_generation_of_a_csi_driver_counts_from_its_first_change() {
    let api = Api::new(&quiet().start());
    let created = api.post(DRIVERS, &named("a", &json!({}))).await;
    assert_eq!((created.status, &created.body["metadata"]["generation"]), (201, &Value::Null), "{}", created.body);
    let path = format!("{DRIVERS}/a");
    let labelled = api.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(labelled.body["metadata"]["generation"], Value::Null);
    let changed = api.merge(&path, &json!({"spec": {"podInfoOnMount": true}})).await;
    assert_eq!(changed.body["metadata"]["generation"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_csi_driver_with_tokens_in_the_volume_attributes_gives_a_warning() {
    let api = Api::new(&quiet().start());
    let with = |tokens: Value| named("a", &json!({"tokenRequests": tokens}));
    let created = api.post(DRIVERS, &with(json!([{"audience": "x"}]))).await;
    let warning = "299 - \"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible \
        logging of tokens in volume attributes\"";
    assert_eq!(created.warnings(), [warning]);
    let path = format!("{DRIVERS}/a");
    assert!(api.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await.warnings().is_empty());
    assert_eq!(api.merge(&path, &json!({"spec": {"tokenRequests": [{"audience": "y"}]}})).await.warnings(), [warning]);
}

#[tokio::test(start_paused = true)]
async fn deprecated_labels_in_a_topology_give_warnings() {
    let api = Api::new(&quiet().start());
    let deprecated = r#"deprecated since v1.14; use \"kubernetes.io/arch\" instead""#;
    let topology = json!({"matchLabels": {LABEL: "a"}, "matchExpressions": [{"key": LABEL, "operator": "Exists"}]});
    let capacity = json!({"metadata": {"name": "a"}, "storageClassName": "fast", "nodeTopology": topology});
    let created = api.post("/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities", &capacity).await;
    assert_eq!(
        created.warnings(),
        [
            format!("299 - \"nodeTopology.matchExpressions[0].key: {LABEL} is {deprecated}"),
            format!("299 - \"nodeTopology.matchLabels.{LABEL}: {deprecated}"),
        ]
    );
    let terms = json!([{"matchLabelExpressions": [{"key": "a", "values": ["b"]}, {"key": LABEL, "values": ["b"]}]}]);
    let class = json!({"metadata": {"name": "a"}, "provisioner": "p", "allowedTopologies": terms});
    let created = api.post("/apis/storage.k8s.io/v1/storageclasses", &class).await;
    assert_eq!(
        created.warnings(),
        [format!("299 - \"allowedTopologies[0].matchLabelExpressions[1].key: {deprecated}")]
    );
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_volume_attachment_is_written_alone() {
    let api = Api::new(&quiet().start());
    let spec = json!({"attacher": "csi.example.com", "nodeName": "node", "source": {"persistentVolumeName": "pv"}});
    assert_eq!(api.post(ATTACHMENTS, &named("a", &spec)).await.body["status"], json!({"attached": false}));
    let path = format!("{ATTACHMENTS}/a");
    let change = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"nodeName": "x"}, "status": {"attached": true}});
    let attached = api.merge(&format!("{path}/status"), &change).await.body;
    assert_eq!((&attached["status"], &attached["spec"]), (&json!({"attached": true}), &spec));
    assert_eq!(attached["metadata"]["labels"], Value::Null);
    let labelled = api.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}, "status": {"attached": false}})).await;
    assert_eq!(labelled.body["status"], json!({"attached": true}));
    assert_eq!(labelled.body["metadata"]["labels"], json!({"a": "b"}));
}

#[tokio::test(start_paused = true)]
async fn an_update_of_a_volume_attachment_must_name_its_version() {
    let api = Api::new(&quiet().start());
    let spec = json!({"attacher": "csi.example.com", "nodeName": "node", "source": {"persistentVolumeName": "pv"}});
    assert_eq!(api.post(ATTACHMENTS, &named("a", &spec)).await.status, 201);
    let without_version = api.put(&format!("{ATTACHMENTS}/a"), &named("a", &spec)).await;
    assert_eq!(without_version.status, 422, "{}", without_version.body);
}

/// The feature gate `CSIVolumeHealth` is off.
#[tokio::test(start_paused = true)]
async fn the_status_of_a_csi_node_stays_empty() {
    let api = Api::new(&quiet().start());
    let nodes = "/apis/storage.k8s.io/v1/csinodes";
    assert_eq!(api.post(nodes, &named("a", &json!({"drivers": []}))).await.status, 201);
    let health = json!({"status": {"storageHealth": [{"name": "a"}]}});
    let reported = api.merge(&format!("{nodes}/a/status"), &health).await;
    assert_eq!((reported.status, &reported.body["status"]), (200, &json!({})), "{}", reported.body);
}
