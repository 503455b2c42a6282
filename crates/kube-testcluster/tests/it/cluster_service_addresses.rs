//! Tests the kinds that say to which Service an address belongs: ServiceCIDR and IPAddress.

use kube_testcluster::Admission;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const RANGES: &str = "/apis/networking.k8s.io/v1/servicecidrs";
const ADDRESSES: &str = "/apis/networking.k8s.io/v1/ipaddresses";

/// Upstream: `pkg/controlplane/controller/defaultservicecidr`.
#[tokio::test(start_paused = true)]
async fn a_cluster_begins_with_the_range_of_its_services() {
    let api = Api::new(&quiet().admission(Admission::Kube).start());
    let range = api.get(&format!("{RANGES}/kubernetes")).await.body;
    let ready = &range["status"]["conditions"][0];
    assert_eq!(range["spec"]["cidrs"], json!(["10.96.0.0/12"]), "{range}");
    assert_eq!((&ready["type"], &ready["status"], &ready["reason"]), (&json!("Ready"), &json!("True"), &json!("")));
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_range_is_written_alone() {
    let api = Api::new(&quiet().start());
    let status = json!({"conditions": [{
        "type": "Ready", "status": "True", "reason": "Told", "message": "", "lastTransitionTime": "2001-02-03T04:05:06Z",
    }]});
    let range = json!({"metadata": {"name": "more"}, "spec": {"cidrs": ["10.0.0.0/16"]}, "status": status});
    assert_eq!(api.post(RANGES, &range).await.body["status"], json!({}));
    let path = format!("{RANGES}/more");
    let labels = json!({"labels": {"a": "b"}});
    let change = json!({"metadata": labels, "spec": {"cidrs": ["10.1.0.0/16"]}, "status": status});
    let reported = api.merge(&format!("{path}/status"), &change).await.body;
    assert_eq!((&reported["status"], &reported["spec"]["cidrs"]), (&status, &json!(["10.0.0.0/16"])));
    assert_eq!(reported["metadata"]["labels"], Value::Null);
    let labelled = api.merge(&path, &json!({"metadata": labels, "status": null})).await.body;
    assert_eq!((&labelled["status"], &labelled["metadata"]["labels"]), (&status, &labels["labels"]));
}

#[tokio::test(start_paused = true)]
async fn the_name_of_an_address_is_never_generated() {
    let api = Api::new(&quiet().start());
    let parent = json!({"resource": "services", "namespace": "default", "name": "web"});
    let address = json!({"metadata": {"generateName": "10.96.0.9"}, "spec": {"parentRef": parent}});
    let created = api.post(ADDRESSES, &address).await;
    assert_eq!((created.status, &created.body["metadata"]["name"]), (201, &json!("10.96.0.9")), "{}", created.body);
    let again = api.post(ADDRESSES, &address).await;
    assert_eq!((again.status, &again.body["reason"]), (409, &json!("AlreadyExists")), "{}", again.body);
}
