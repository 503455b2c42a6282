//! What kube-apiserver and kube-controller-manager make by themselves: API services, and the config map of each namespace.

use kube_testcluster::{Admission, Cluster};
use serde_json::json;

use crate::support::api::{Api, quiet};

const API_SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";
const NAMESPACES: &str = "/api/v1/namespaces";

fn furnished() -> Cluster {
    quiet().admission(Admission::Kube).start()
}

fn root_ca(namespace: &str) -> String {
    format!("{NAMESPACES}/{namespace}/configmaps/kube-root-ca.crt")
}

/// Upstream: `makeAPIService` in `pkg/controlplane/apiserver/aggregator.go`.
#[tokio::test(start_paused = true)]
async fn each_version_of_a_group_has_its_api_service() {
    let api = Api::new(&furnished());
    let list = api.get(API_SERVICES).await;
    let names = list.names();
    for name in ["v1.", "v1.apps", "v1.events.k8s.io", "v2.autoscaling"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"v1.apiregistration.k8s.io"), "upstream has none for its own group");
    let row = &api.table(API_SERVICES).await["rows"][0]["cells"];
    assert_eq!((&row[0], &row[1], &row[2]), (&json!("v1."), &json!("Local"), &json!("True")));
    let apps = api.get(&format!("{API_SERVICES}/v1.apps")).await.body;
    let spec = json!({"group": "apps", "version": "v1", "groupPriorityMinimum": 17_800, "versionPriority": 15});
    assert_eq!(apps["spec"], spec);
}

/// Upstream: `ValidateAPIService` of k8s.io/kube-aggregator.
#[tokio::test(start_paused = true)]
async fn an_api_service_is_checked_as_upstream_does() {
    let api = Api::new(&quiet().start());
    let service = |name: &str, spec: serde_json::Value| json!({"metadata": {"name": name}, "spec": spec});
    let metrics = json!({
        "group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": 100, "versionPriority": 100,
        "insecureSkipTLSVerify": true, "service": {"name": "metrics-server", "namespace": "kube-system"},
    });
    let made = api.post(API_SERVICES, &service("v1beta1.metrics.k8s.io", metrics.clone())).await;
    assert_eq!((made.status, &made.body["spec"]["service"]["port"]), (201, &json!(443)), "{}", made.body);
    let cells = api.table(&format!("{API_SERVICES}/v1beta1.metrics.k8s.io")).await["rows"][0]["cells"].clone();
    assert_eq!((&cells[1], &cells[2]), (&json!("kube-system/metrics-server"), &json!("Unknown")));
    let mut local = metrics;
    local["service"] = json!(null);
    local["groupPriorityMinimum"] = json!(20_001);
    local["version"] = json!("1");
    let refused = api.post(API_SERVICES, &service("other", local)).await;
    for why in [
        "metadata.name: Invalid value: \"other\": must be `spec.version+\".\"+spec.group`: \"1.metrics.k8s.io\"",
        "spec.version: Invalid value: \"1\": a DNS-1035 label must consist of",
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
    ] {
        assert!(refused.message().contains(why), "{}", refused.message());
    }
}

/// Upstream: `pkg/controller/certificates/rootcacertpublisher`.
#[tokio::test(start_paused = true)]
async fn each_namespace_has_the_config_map_of_the_root_certificate_and_keeps_it() {
    let cluster = furnished();
    let api = Api::new(&cluster);
    api.post(NAMESPACES, &json!({"metadata": {"name": "shop"}})).await;
    cluster.settled().await;
    for namespace in ["default", "kube-system", "shop"] {
        assert_eq!(api.get(&root_ca(namespace)).await.body["data"], json!({"ca.crt": ""}), "{namespace}");
    }
    api.merge(&root_ca("shop"), &json!({"data": {"ca.crt": "forged"}})).await;
    cluster.settled().await;
    assert_eq!(api.get(&root_ca("shop")).await.body["data"], json!({"ca.crt": ""}));
    api.delete(&root_ca("shop")).await;
    cluster.settled().await;
    assert_eq!(api.get(&root_ca("shop")).await.status, 200);
    api.delete(&format!("{NAMESPACES}/shop")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{NAMESPACES}/shop")).await.status, 404, "it does not hold its namespace");
}

#[tokio::test(start_paused = true)]
async fn a_plain_cluster_has_nothing_that_nobody_made() {
    let api = Api::new(&quiet().start());
    for path in [API_SERVICES, "/api/v1/configmaps", "/api/v1/serviceaccounts", "/api/v1/services"] {
        assert_eq!(api.get(path).await.names(), [""; 0], "{path}");
    }
}
