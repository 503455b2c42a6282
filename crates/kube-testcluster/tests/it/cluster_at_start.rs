//! Tests the objects that kube-apiserver and kube-controller-manager make at the start: API services, the root CA
//! config map of each namespace, and RBAC roles with their bindings.

use std::time::Duration;

use kube_testcluster::{Admission, Cluster};
use serde_json::json;

use crate::support::api::{Api, quiet};

const API_SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";
const NAMESPACES: &str = "/api/v1/namespaces";

fn with_admission() -> Cluster {
    quiet().admission(Admission::Kube).start()
}

fn root_ca(namespace: &str) -> String {
    format!("{NAMESPACES}/{namespace}/configmaps/kube-root-ca.crt")
}

/// Upstream: `makeAPIService` in `pkg/controlplane/apiserver/aggregator.go`.
#[tokio::test(start_paused = true)]
async fn each_version_of_a_group_has_its_api_service() {
    let api = Api::new(&with_admission());
    let list = api.get(API_SERVICES).await;
    let names = list.names();
    for name in ["v1.", "v1.apps", "v1.events.k8s.io", "v2.autoscaling"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"v1.apiregistration.k8s.io"), "as upstream, none for the group of API services itself");
    let row = &api.table(API_SERVICES).await["rows"][0]["cells"];
    assert_eq!((&row[0], &row[1], &row[2]), (&json!("v1."), &json!("Local"), &json!("True")));
    let apps = api.get(&format!("{API_SERVICES}/v1.apps")).await.body;
    let spec = json!({"group": "apps", "version": "v1", "groupPriorityMinimum": 17_800, "versionPriority": 15});
    assert_eq!(apps["spec"], spec);
}

/// Upstream: `ValidateAPIService` of k8s.io/kube-aggregator.
#[tokio::test(start_paused = true)]
async fn an_api_service_is_validated_as_upstream_does() {
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
async fn each_namespace_has_the_root_ca_config_map_and_gets_it_back_after_a_change() {
    let cluster = with_admission();
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
    assert_eq!(
        api.get(&format!("{NAMESPACES}/shop")).await.status,
        404,
        "the config map does not block the deletion of its namespace"
    );
}

#[tokio::test(start_paused = true)]
async fn without_admission_there_are_no_api_services_config_maps_accounts_or_services() {
    let api = Api::new(&quiet().start());
    for path in [API_SERVICES, "/api/v1/configmaps", "/api/v1/serviceaccounts", "/api/v1/services"] {
        assert_eq!(api.get(path).await.names(), [""; 0], "{path}");
    }
}

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

fn role(name: &str) -> String {
    format!("{RBAC}/clusterroles/{name}")
}

/// Upstream: `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.
#[tokio::test(start_paused = true)]
async fn a_cluster_starts_with_the_bootstrap_roles_and_bindings_of_kube_apiserver() {
    let api = Api::new(&with_admission());
    let admin = api.get(&role("cluster-admin")).await.body;
    let all = json!([
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}, {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]);
    assert_eq!(admin["rules"], all);
    assert_eq!(admin["metadata"]["labels"], json!({"kubernetes.io/bootstrapping": "rbac-defaults"}));
    assert_eq!(admin["metadata"]["annotations"], json!({"rbac.authorization.kubernetes.io/autoupdate": "true"}));
    let masters = api.get(&format!("{RBAC}/clusterrolebindings/cluster-admin")).await.body;
    let group = json!([{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:masters"}]);
    assert_eq!(masters["subjects"], group);
    for path in [
        "clusterroles/system:controller:deployment-controller",
        "clusterrolebindings/system:controller:deployment-controller",
        "namespaces/kube-system/roles/extension-apiserver-authentication-reader",
        "namespaces/kube-public/rolebindings/system:controller:bootstrap-signer",
    ] {
        assert_eq!(api.get(&format!("{RBAC}/{path}")).await.status, 200, "{path}");
    }
    let plain = Api::new(&quiet().start());
    assert_eq!(plain.get(&format!("{RBAC}/clusterroles")).await.names(), [""; 0]);
}

/// These objects are stored without validation, so the test compares each with what a client's create stores.
#[tokio::test(start_paused = true)]
async fn the_bootstrap_roles_are_stored_as_if_a_client_had_created_them() {
    let (api, other) = (Api::new(&with_admission()), Api::new(&quiet().start()));
    for kinds in ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] {
        for object in api.items(&format!("{RBAC}/{kinds}")).await {
            let path = match object["metadata"]["namespace"].as_str() {
                Some(namespace) => format!("{RBAC}/namespaces/{namespace}/{kinds}"),
                None => format!("{RBAC}/{kinds}"),
            };
            let mut sent = object.clone();
            sent["metadata"]["resourceVersion"] = json!(null);
            let mut made = other.post(&path, &sent).await;
            assert_eq!(made.status, 201, "{object}: {}", made.body);
            for field in ["uid", "resourceVersion", "creationTimestamp"] {
                made.body["metadata"][field] = object["metadata"][field].clone();
            }
            for field in ["kind", "apiVersion"] {
                made.body.as_object_mut().unwrap().remove(field);
            }
            assert_eq!(made.body, object);
        }
    }
}

/// Upstream: `pkg/controller/clusterroleaggregation`.
#[tokio::test(start_paused = true)]
async fn an_aggregated_role_has_the_rules_of_the_roles_that_it_selects() {
    let cluster = with_admission();
    let api = Api::new(&cluster);
    let rules = async |name: &str| api.get(&role(name)).await.body["rules"].as_array().cloned().unwrap_or_default();
    let (view, edit, admin) = (rules("view").await, rules("edit").await, rules("admin").await);
    assert!(!view.is_empty() && view.iter().all(|rule| edit.contains(rule)), "view is a part of edit");
    assert!(edit.iter().all(|rule| admin.contains(rule)) && admin.len() > edit.len(), "edit is a part of admin");

    let crontabs = json!({"apiGroups": ["stable.example.com"], "resources": ["crontabs"], "verbs": ["get", "list"]});
    let label = json!({"rbac.authorization.k8s.io/aggregate-to-view": "true"});
    let part = json!({"metadata": {"name": "crontab-viewer", "labels": label}, "rules": [crontabs]});
    api.post(&format!("{RBAC}/clusterroles"), &part).await;
    cluster.settled().await;
    for name in ["view", "edit", "admin"] {
        assert!(rules(name).await.contains(&crontabs), "{name}");
    }
    api.delete(&role("crontab-viewer")).await;
    cluster.settled().await;
    assert_eq!((rules("view").await, rules("admin").await), (view, admin));

    api.merge(&role("view"), &json!({"rules": []})).await;
    cluster.settled().await;
    assert!(!rules("view").await.is_empty(), "the controller restores the rules");
}

#[tokio::test(start_paused = true)]
async fn without_controllers_aggregated_roles_stay_empty() {
    let api = Api::new(&Cluster::builder().bare().start());
    let view = api.get(&role("view")).await.body;
    assert_eq!((&view["rules"], view["aggregationRule"].is_object()), (&json!(null), true));
}

/// Upstream: `crdRegistrationController`.
#[tokio::test(start_paused = true)]
async fn each_served_version_of_a_custom_resource_has_its_api_service() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let cluster = with_admission();
    let api = Api::new(&cluster);
    let schema = json!({"openAPIV3Schema": {"type": "object"}});
    let version =
        |name: &str, served: bool| json!({"name": name, "served": served, "storage": name == "v1", "schema": schema});
    let definition = |kind: &str, versions: &[serde_json::Value]| {
        let plural = format!("{}s", kind.to_lowercase());
        json!({
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": plural, "kind": kind}, "versions": versions},
        })
    };
    api.post(DEFINITIONS, &definition("Boat", &[version("v1", true), version("v2", true), version("v3", false)])).await;
    api.post(DEFINITIONS, &definition("Door", &[version("v1", true)])).await;
    let of_group = async || {
        let list = api.get(API_SERVICES).await;
        let names = list.names().into_iter().map(ToOwned::to_owned);
        names.filter(|name| name.ends_with(".example.com")).collect::<Vec<_>>()
    };
    assert_eq!(of_group().await, ["v1.example.com", "v2.example.com"]);
    let made = api.get(&format!("{API_SERVICES}/v2.example.com")).await.body;
    let spec = json!({"group": "example.com", "version": "v2", "groupPriorityMinimum": 1_000, "versionPriority": 100});
    assert_eq!((&made["spec"], &made["status"]["conditions"][0]["reason"]), (&spec, &json!("Local")));
    let delete = async |definition: &str| {
        api.delete(&format!("{DEFINITIONS}/{definition}")).await;
        tokio::time::sleep(Duration::from_secs(1)).await; // virtual time
    };
    delete("boats.example.com").await;
    assert_eq!(of_group().await, ["v1.example.com"]);
    delete("doors.example.com").await;
    assert!(of_group().await.is_empty());
}

/// jiff has no time after 9999-12-30T22:00Z, so the server cuts later times, such as the end of a token, to this one.
#[tokio::test(start_paused = true)]
async fn a_cluster_whose_clock_is_at_its_end_serves_all_the_same() {
    let cluster = Cluster::builder().admission(Admission::Kube).started_at(jiff::Timestamp::MAX).start();
    let api = Api::new(&cluster);
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}});
    let cron_job = json!({"metadata": {"name": "c"}, "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}});
    let job = json!({"metadata": {"name": "j"}, "spec": {"template": template, "ttlSecondsAfterFinished": 9, "activeDeadlineSeconds": 99}});
    for (path, object) in [("cronjobs", cron_job), ("jobs", job)] {
        let made = api.post(&format!("/apis/batch/v1/namespaces/default/{path}"), &object).await;
        assert_eq!(made.status, 201, "{}", made.body);
    }
    let token = json!({"spec": {"expirationSeconds": 3600}});
    let token = api.post("/api/v1/namespaces/default/serviceaccounts/default/token", &token).await;
    assert_eq!(token.status, 201, "{}", token.body);
    tokio::time::sleep(Duration::from_secs(600)).await;
    for path in ["/api/v1/events", "/api/v1/pods", "/apis/batch/v1/jobs", "/apis/batch/v1/cronjobs"] {
        api.table(path).await;
    }
    assert_eq!(api.get("/readyz").await.status, 200);
    cluster.shutdown().await;
}
