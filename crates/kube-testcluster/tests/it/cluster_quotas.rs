//! Tests the admission plugin `ResourceQuota`. The status of each quota is set by the test, as by the quota controller.

use kube_testcluster::{Admission, Controllers};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet};

const QUOTAS: &str = "/api/v1/namespaces/default/resourcequotas";
const SERVICES: &str = "/api/v1/namespaces/default/services";
const CLAIMS: &str = "/api/v1/namespaces/default/persistentvolumeclaims";

fn start() -> Api {
    Api::new(&quiet().admission(Admission::Kube).controllers(Controllers::None).start())
}

/// Creates the quota `q` of which nothing is used yet.
async fn quota(api: &Api, mut spec: Value) {
    let hard = spec["hard"].take();
    let mut used = hard.clone();
    used.as_object_mut().unwrap().values_mut().for_each(|amount| *amount = "0".into());
    spec["hard"] = hard.clone();
    api.created(QUOTAS, &json!({"metadata": {"name": "q"}, "spec": spec})).await;
    let status = json!({"status": {"hard": hard, "used": used}});
    assert_eq!(api.merge(&format!("{QUOTAS}/q/status"), &status).await.status, 200);
}

async fn used(api: &Api) -> Value {
    api.get(&format!("{QUOTAS}/q")).await.body["status"]["used"].clone()
}

fn pod(name: &str, resources: &Value) -> Value {
    let containers = json!([{"name": "main", "image": "nginx", "resources": resources}]);
    json!({"metadata": {"name": name}, "spec": {"containers": containers}})
}

fn refusal(answer: &Answer) -> (u16, &str) {
    (answer.status, answer.message())
}

#[tokio::test(start_paused = true)]
async fn a_full_quota_refuses_the_next_pod() {
    let api = start();
    quota(&api, json!({"hard": {"pods": "1", "count/pods": "5"}})).await;
    api.created(PODS, &pod("a", &json!({}))).await;
    assert_eq!(used(&api).await, json!({"pods": "1", "count/pods": "1"}));
    let second = api.post(PODS, &pod("b", &json!({}))).await;
    let why = "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1";
    assert_eq!(refusal(&second), (403, why));
    assert_eq!(used(&api).await, json!({"pods": "1", "count/pods": "1"}));
}

#[tokio::test(start_paused = true)]
async fn requests_at_the_same_time_never_exceed_a_quota() {
    let api = start();
    quota(&api, json!({"hard": {"pods": "3"}})).await;
    let names: Vec<String> = (0..10).map(|n| format!("pod-{n}")).collect();
    let create = async |name: &String| api.post(PODS, &pod(name, &json!({}))).await.status;
    let answers = futures::future::join_all(names.iter().map(create)).await;
    assert_eq!(answers.iter().filter(|status| **status == 201).count(), 3, "{answers:?}");
    assert_eq!((used(&api).await, api.get(PODS).await.names().len()), (json!({"pods": "3"}), 3));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_charged_for_a_dry_run_or_a_refused_object() {
    let api = start();
    quota(&api, json!({"hard": {"pods": "2"}})).await;
    api.created(PODS, &pod("a", &json!({}))).await;
    api.created(&format!("{PODS}?dryRun=All"), &pod("b", &json!({}))).await;
    assert_eq!(api.post(PODS, &pod("a", &json!({}))).await.status, 409);
    assert_eq!(used(&api).await, json!({"pods": "1"}));
}

#[tokio::test(start_paused = true)]
async fn a_quota_of_compute_resources_requires_and_limits_them() {
    let api = start();
    quota(&api, json!({"hard": {"limits.cpu": "1", "requests.cpu": "1", "requests.example.com/gpu": "1"}})).await;
    let why = "pods \"a\" is forbidden: failed quota: q: must specify limits.cpu for: main; requests.cpu for: main";
    assert_eq!(refusal(&api.post(PODS, &pod("a", &json!({}))).await), (403, why));
    api.created(PODS, &pod("a", &json!({"limits": {"cpu": "600m", "example.com/gpu": "1"}}))).await;
    let now = json!({"limits.cpu": "600m", "requests.cpu": "600m", "requests.example.com/gpu": "1"});
    assert_eq!(used(&api).await, now);
    let why = "pods \"b\" is forbidden: exceeded quota: q, requested: limits.cpu=500m,requests.cpu=500m, used: \
               limits.cpu=600m,requests.cpu=600m, limited: limits.cpu=1,requests.cpu=1";
    assert_eq!(refusal(&api.post(PODS, &pod("b", &json!({"limits": {"cpu": "500m"}}))).await), (403, why));
}

#[tokio::test(start_paused = true)]
async fn a_resize_is_charged_with_the_difference() {
    let api = start();
    quota(&api, json!({"hard": {"requests.cpu": "1"}})).await;
    api.created(PODS, &pod("a", &json!({"requests": {"cpu": "500m"}}))).await;
    let resize = async |cpu: &str| {
        let containers = json!([{"name": "main", "resources": {"requests": {"cpu": cpu}}}]);
        let patch = json!({"spec": {"containers": containers}}).to_string();
        api.send("PATCH", &format!("{PODS}/a/resize"), "application/strategic-merge-patch+json", patch).await
    };
    assert_eq!(resize("800m").await.status, 200);
    assert_eq!(used(&api).await, json!({"requests.cpu": "800m"}));
    let why = "pods \"a\" is forbidden: exceeded quota: q, requested: requests.cpu=700m, used: requests.cpu=800m, \
               limited: requests.cpu=1";
    assert_eq!(refusal(&resize("1500m").await), (403, why));
}

#[tokio::test(start_paused = true)]
async fn a_service_is_charged_when_its_type_changes() {
    let api = start();
    quota(&api, json!({"hard": {"services": "5", "services.nodeports": "1", "services.loadbalancers": "1"}})).await;
    let service = json!({"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}, {"name": "b", "port": 81}]}});
    let mut service = service;
    service["spec"]["ports"][0]["name"] = "a".into();
    api.created(SERVICES, &service).await;
    let typed = |kind: &str| json!({"spec": {"type": kind}});
    let refused = api.merge(&format!("{SERVICES}/a"), &typed("NodePort")).await;
    let why = "services \"a\" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: \
               services.nodeports=0, limited: services.nodeports=1";
    assert_eq!(refusal(&refused), (403, why));
    let one_port = json!({"spec": {"type": "LoadBalancer", "ports": [{"port": 80}]}});
    assert_eq!(api.merge(&format!("{SERVICES}/a"), &one_port).await.status, 200);
    let now = json!({"services": "1", "services.nodeports": "1", "services.loadbalancers": "1"});
    assert_eq!(used(&api).await, now);
}

#[tokio::test(start_paused = true)]
async fn claims_are_charged_for_their_class_too() {
    let api = start();
    let gold = "gold.storageclass.storage.k8s.io/requests.storage";
    quota(&api, json!({"hard": {"persistentvolumeclaims": "3", "requests.storage": "10Gi", gold: "1Gi"}})).await;
    let claim = |name: &str, class: &str| {
        let resources = json!({"requests": {"storage": "1Gi"}});
        let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": resources, "storageClassName": class});
        json!({"metadata": {"name": name}, "spec": spec})
    };
    api.created(CLAIMS, &claim("a", "gold")).await;
    api.created(CLAIMS, &claim("b", "silver")).await;
    let refused = api.post(CLAIMS, &claim("c", "gold")).await;
    let why = format!(
        "persistentvolumeclaims \"c\" is forbidden: exceeded quota: q, requested: {gold}=1Gi, used: {gold}=1Gi, \
         limited: {gold}=1Gi"
    );
    assert_eq!(refusal(&refused), (403, why.as_str()));
    assert_eq!(used(&api).await, json!({"persistentvolumeclaims": "2", "requests.storage": "2Gi", gold: "1Gi"}));
}

#[tokio::test(start_paused = true)]
async fn objects_of_any_kind_are_counted() {
    let api = start();
    quota(&api, json!({"hard": {"configmaps": "1", "count/configmaps": "1", "count/jobs.batch": "0"}})).await;
    let maps = "/api/v1/namespaces/default/configmaps";
    api.created(maps, &json!({"metadata": {"name": "a"}})).await;
    let refused = api.post(maps, &json!({"metadata": {"name": "b"}})).await;
    let why = "configmaps \"b\" is forbidden: exceeded quota: q, requested: configmaps=1,count/configmaps=1, used: \
               configmaps=1,count/configmaps=1, limited: configmaps=1,count/configmaps=1";
    assert_eq!(refusal(&refused), (403, why));
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}});
    let job = json!({"metadata": {"name": "a"}, "spec": {"template": template}});
    let refused = api.post("/apis/batch/v1/namespaces/default/jobs", &job).await;
    let why = "jobs.batch \"a\" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, used: \
               count/jobs.batch=0, limited: count/jobs.batch=0";
    assert_eq!(refusal(&refused), (403, why));
}

#[tokio::test(start_paused = true)]
async fn scopes_choose_the_pods_of_a_quota() {
    let api = start();
    quota(&api, json!({"hard": {"pods": "0"}, "scopes": ["BestEffort"]})).await;
    assert_eq!(api.post(PODS, &pod("a", &json!({}))).await.status, 403);
    api.created(PODS, &pod("a", &json!({"requests": {"cpu": "1"}}))).await;
    assert_eq!(used(&api).await, json!({"pods": "0"}));
}

#[tokio::test(start_paused = true)]
async fn a_quota_without_a_known_usage_refuses() {
    let api = start();
    quota(&api, json!({"hard": {"pods": "1"}})).await;
    let status = json!({"status": {"used": null}});
    assert_eq!(api.merge(&format!("{QUOTAS}/q/status"), &status).await.status, 200);
    let why = "pods \"a\" is forbidden: status unknown for quota: q, resources: pods";
    assert_eq!(refusal(&api.post(PODS, &pod("a", &json!({}))).await), (403, why));
}
