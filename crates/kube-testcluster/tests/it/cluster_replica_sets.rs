//! Tests ReplicaSets as objects: defaults, validation, status, scale, and scenarios that use them.

use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";

fn set(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "main", "image": "nginx"}]},
            },
        },
    })
}

#[tokio::test(start_paused = true)]
async fn a_replica_set_gets_defaults_and_a_generation_that_counts_spec_changes() {
    let api = Api::new(&quiet().start());
    let created = api.post(SETS, &set("web")).await;
    assert_eq!(created.status, 201, "{}", created.body);
    assert_eq!(created.body["spec"]["replicas"], 1);
    assert_eq!(created.body["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"], "Always");
    let path = format!("{SETS}/web");
    let scaled = api.merge(&path, &json!({"spec": {"replicas": 3}})).await;
    assert_eq!(scaled.body["metadata"]["generation"], 2);
    let status = json!({"status": {"replicas": 3, "observedGeneration": 2}, "spec": {"replicas": 9}});
    let status = api.merge(&format!("{path}/status"), &status).await;
    assert_eq!((&status.body["spec"]["replicas"], &status.body["status"]["replicas"]), (&json!(3), &json!(3)));
    assert_eq!(status.body["metadata"]["generation"], 2);
    let selected = api.get(&format!("{SETS}?fieldSelector=status.replicas%3D3")).await;
    let why = "\"status.replicas\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    assert_eq!((selected.status, selected.message()), (400, why), "upstream's conversion knows no fields of the kind");
    let deleted = api.delete(&path).await;
    assert_eq!((&deleted.body["status"], &deleted.body["details"]["group"]), (&json!("Success"), &json!("apps")));
}

#[tokio::test(start_paused = true)]
async fn a_scenario_can_create_and_scale_a_replica_set_and_delete_one_selected_pod() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    for name in ["b", "a"] {
        api.pod(name, &json!({"app": "web"})).await;
    }
    api.pod("0", &json!({})).await;
    let scenario = "- {at: 0s, replicaset: web, replicas: 2, labels: {app: web}}\n\
                    - {at: 1s, scale: web, replicas: 3}\n- {at: 2s, delete-one: {app: web}}\n";
    let scenario = kube_testcluster::Scenario::from_yaml(scenario, "s.yaml").unwrap();
    let mut commands = Vec::new();
    scenario.play(cluster.client("default"), "default", |step| commands.push(step.to_string())).await.unwrap();
    assert_eq!(
        commands,
        [
            "kubectl create -f web.yaml",
            "kubectl scale replicaset web --replicas=3",
            "kubectl delete $(kubectl get pods -l app=web -o name | head -1)",
        ]
    );
    let set = api.get(&format!("{SETS}/web")).await.body;
    assert_eq!((&set["spec"]["replicas"], &set["metadata"]["labels"]["app"]), (&json!(3), &json!("web")));
    cluster.settled().await;
    let pods = api.get(PODS).await;
    assert_eq!(pods.names(), ["0", "b"], "without a kubelet, pod a is deleted at once");
}

#[tokio::test(start_paused = true)]
async fn an_invalid_replica_set_is_refused() {
    let api = Api::new(&quiet().start());
    for (pointer, value, message) in [
        ("/spec/selector", json!({}), "spec.selector: Invalid value: {}: empty selector is invalid for deployment"),
        ("/spec/replicas", json!(-1), "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        (
            "/spec/template/metadata/labels",
            json!({"app": "other"}),
            "spec.template.metadata.labels: Invalid value: {\"app\":\"other\"}: `selector` does not match template `labels`",
        ),
        ("/spec/template/spec/containers", json!([]), "spec.template.spec.containers: Required value"),
    ] {
        let mut set = set("web");
        set["spec"]["replicas"] = json!(1);
        *set.pointer_mut(pointer).unwrap() = value;
        let refused = api.post(SETS, &set).await;
        assert_eq!(refused.status, 422, "{pointer}");
        assert!(refused.message().contains(message), "{}", refused.message());
    }
}

#[tokio::test(start_paused = true)]
async fn a_replica_set_is_scaled_through_its_subresource() {
    let api = Api::new(&quiet().start());
    let created = api.post(SETS, &set("web")).await;
    let path = format!("{SETS}/web/scale");
    let scale = api.get(&path).await.body;
    assert_eq!((&scale["kind"], &scale["apiVersion"]), (&json!("Scale"), &json!("autoscaling/v1")));
    assert_eq!((&scale["spec"]["replicas"], &scale["status"]["selector"]), (&json!(1), &json!("app=web")));
    let patched = api.merge(&path, &json!({"spec": {"replicas": 3}})).await;
    assert_eq!((patched.status, &patched.body["spec"]["replicas"]), (200, &json!(3)));
    let stale = api.put(&path, &scale).await;
    assert_eq!((created.status, stale.status), (201, 409));
    let other = api.merge(&path, &json!({"metadata": {"uid": "other"}})).await;
    let uid = &created.body["metadata"]["uid"];
    let why = format!("Precondition failed: UID in precondition: other, UID in object meta: {}", uid.as_str().unwrap());
    let message = format!("Operation cannot be fulfilled on replicasets/scale.apps \"web\": {why}");
    assert_eq!((other.status, other.body["message"].as_str()), (409, Some(message.as_str())));
    assert_eq!(api.get(&format!("{SETS}/web")).await.body["metadata"]["generation"], 2);
    let refused = api.merge(&path, &json!({"spec": {"replicas": -1}})).await;
    assert_eq!(refused.status, 422, "{}", refused.body);
}
