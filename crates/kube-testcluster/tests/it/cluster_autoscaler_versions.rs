//! Tests the two versions of HorizontalPodAutoscalers, which are two views of the same objects. Upstream:
//! `pkg/apis/autoscaling/v1/conversion.go`.

use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const V1: &str = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers";
const V2: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";

fn scaler(spec: &Value) -> Value {
    let mut object = json!({"metadata": {"name": "web"}, "spec": spec});
    object["spec"]["scaleTargetRef"] = json!({"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"});
    object["spec"]["maxReplicas"] = json!(3);
    object
}

fn resource(name: &str, target: &Value) -> Value {
    json!({"type": "Resource", "resource": {"name": name, "target": target}})
}

#[tokio::test(start_paused = true)]
async fn an_object_is_served_in_both_versions() {
    let api = Api::new(&quiet().start());
    let created = api.post(V1, &scaler(&json!({"targetCPUUtilizationPercentage": 40}))).await;
    assert_eq!((created.status, &created.body["apiVersion"]), (201, &json!("autoscaling/v1")), "{}", created.body);
    let in_v2 = api.get(&format!("{V2}/web")).await.body;
    let of_cpu = resource("cpu", &json!({"type": "Utilization", "averageUtilization": 40}));
    assert_eq!((&in_v2["apiVersion"], &in_v2["spec"]["metrics"]), (&json!("autoscaling/v2"), &json!([of_cpu])));

    let of_memory = resource("memory", &json!({"type": "AverageValue", "averageValue": "1Gi"}));
    let change = json!({"spec": {"metrics": [of_memory, of_cpu]}});
    assert_eq!(api.merge(&format!("{V2}/web"), &change).await.status, 200);
    let in_v1 = api.get(&format!("{V1}/web")).await.body;
    assert_eq!(in_v1["spec"]["targetCPUUtilizationPercentage"], 40);
    let kept = r#"[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]"#;
    assert_eq!(in_v1["metadata"]["annotations"][METRICS], kept);
    let list = api.get(V1).await.body;
    assert_eq!((&list["kind"], &list["apiVersion"]), (&json!("HorizontalPodAutoscalerList"), &json!("autoscaling/v1")));
}

#[tokio::test(start_paused = true)]
async fn a_write_in_the_first_version_keeps_what_it_has_no_fields_for() {
    let api = Api::new(&quiet().start());
    let policy = json!({"type": "Pods", "value": 1, "periodSeconds": 60});
    let down = json!({"policies": [policy], "tolerance": "50m"});
    let of_pods = json!({"type": "Pods", "pods": {
        "metric": {"name": "rps"}, "target": {"type": "AverageValue", "averageValue": "10"},
    }});
    let spec = json!({"metrics": [of_pods], "behavior": {"scaleDown": down}});
    let before = api.post(V2, &scaler(&spec)).await.body;
    let mut in_v1 = api.get(&format!("{V1}/web")).await.body;
    assert_eq!(in_v1["spec"]["targetCPUUtilizationPercentage"], Value::Null);
    in_v1["spec"]["maxReplicas"] = json!(9);
    let written = api.put(&format!("{V1}/web"), &in_v1).await;
    assert_eq!((written.status, &written.body["metadata"]["generation"]), (200, &json!(2)), "{}", written.body);
    let after = api.get(&format!("{V2}/web")).await.body;
    assert_eq!(after["spec"]["maxReplicas"], 9);
    for field in ["metrics", "behavior"] {
        assert_eq!(after["spec"][field], before["spec"][field]);
    }
    assert_eq!(after["metadata"]["annotations"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_watch_has_the_version_of_the_watch() {
    let api = Api::new(&quiet().start());
    let mut watch = api.watch_at(&format!("{V1}?watch=true")).await;
    assert_eq!(api.post(V2, &scaler(&json!({}))).await.status, 201);
    let event = watch.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["apiVersion"]), (&json!("ADDED"), &json!("autoscaling/v1")));
    assert_eq!(event["object"]["spec"]["targetCPUUtilizationPercentage"], 80);
}

#[tokio::test(start_paused = true)]
async fn discovery_prefers_the_second_version() {
    let api = Api::new(&quiet().start());
    let group = api.get("/apis/autoscaling").await.body;
    let versions: Vec<&str> =
        group["versions"].as_array().unwrap().iter().map(|version| version["version"].as_str().unwrap()).collect();
    assert_eq!((versions, &group["preferredVersion"]["version"]), (vec!["v2", "v1"], &json!("v2")));
    let of_v1 = api.get("/apis/autoscaling/v1").await.body;
    assert_eq!(of_v1["resources"][0]["storageVersionHash"], "qwQve8ut294=");
}
