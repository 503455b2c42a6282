//! Tests `pods/ephemeralcontainers`, which `kubectl debug` uses, and `pods/resize`. Upstream:
//! `pkg/registry/core/pod/strategy.go`.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// Returns the patch that `kubectl debug --image=busybox` sends.
fn debugger(name: &str) -> Value {
    json!({"spec": {"ephemeralContainers": [{
        "name": name, "image": "busybox", "imagePullPolicy": "IfNotPresent", "resources": {},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    }]}})
}

#[tokio::test(start_paused = true)]
async fn an_ephemeral_container_can_be_added_to_a_running_pod() {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let path = format!("{PODS}/a/ephemeralcontainers");
    let answer = api.send("PATCH", &path, STRATEGIC, debugger("debugger-1").to_string()).await;
    assert_eq!((answer.status, answer.body["metadata"]["generation"].as_i64()), (200, Some(2)), "{}", answer.body);
    cluster.settled().await;
    let running = api.get(&path).await.body;
    let status = &running["status"]["ephemeralContainerStatuses"][0];
    assert_eq!(status["name"], "debugger-1");
    assert!(status["state"]["running"].is_object(), "{status}");
    assert_eq!(running["status"]["containerStatuses"][0]["ready"], true);
    let log = api.get(&format!("{PODS}/a/log?container=debugger-1")).await;
    assert_eq!(log.status, 200, "{}", log.body);
}

#[tokio::test(start_paused = true)]
async fn an_ephemeral_container_cannot_be_changed_or_removed_and_its_patch_changes_nothing_else() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({"k": "v"})).await;
    let path = format!("{PODS}/a/ephemeralcontainers");
    let mut added = debugger("d");
    added["metadata"] = json!({"labels": {"k": "other"}});
    added["spec"]["terminationGracePeriodSeconds"] = json!(1);
    let answer = api.send("PATCH", &path, STRATEGIC, added.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.body["metadata"]["labels"], json!({"k": "v"}));
    assert_eq!(answer.body["spec"]["terminationGracePeriodSeconds"], 30);
    let mut changed = debugger("d");
    changed["spec"]["ephemeralContainers"][0]["image"] = json!("alpine");
    let refused = api.send("PATCH", &path, STRATEGIC, changed.to_string()).await;
    assert_eq!(refused.status, 422);
    assert!(refused.message().contains("existing ephemeral containers \"d\" may not be changed"), "{}", refused.body);
    let mut whole = answer.body.clone();
    whole["spec"]["ephemeralContainers"] = Value::Null;
    let refused = api.put(&path, &whole).await;
    assert!(refused.message().contains("existing ephemeral containers \"d\" may not be removed"), "{}", refused.body);
    // The pod itself cannot change its ephemeral containers.
    let refused = api.send("PATCH", &format!("{PODS}/a"), STRATEGIC, debugger("e").to_string()).await;
    assert_eq!(refused.status, 422);
}

fn with_resources(name: &str, resources: &Value) -> Value {
    let mut pod = pod(name, &json!({}));
    pod["spec"]["containers"][0]["resources"] = resources.clone();
    pod
}

fn resize(resources: &Value) -> String {
    json!({"spec": {"containers": [{"name": "main", "resources": resources}]}}).to_string()
}

#[tokio::test(start_paused = true)]
async fn a_running_pod_can_be_resized() {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(1).start();
    let api = Api::new(&cluster);
    let made = api.post(PODS, &with_resources("a", &json!({"requests": {"cpu": "1", "memory": "1Gi"}}))).await;
    assert_eq!(made.status, 201, "{}", made.body);
    cluster.settled().await;
    let more = resize(&json!({"requests": {"cpu": "2"}}));
    let answer = api.send("PATCH", &format!("{PODS}/a/resize"), STRATEGIC, more.clone()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    cluster.settled().await;
    let status = api.get(&format!("{PODS}/a")).await.body["status"]["containerStatuses"][0].clone();
    let wanted = json!({"cpu": "2", "memory": "1Gi"});
    assert_eq!((&status["resources"]["requests"], &status["allocatedResources"]), (&wanted, &wanted));
    let refused = api.send("PATCH", &format!("{PODS}/a"), STRATEGIC, resize(&json!({"requests": {"cpu": "3"}}))).await;
    assert_eq!(refused.status, 422, "only pods/resize can change resources");
}

#[tokio::test(start_paused = true)]
async fn a_resize_may_not_change_the_qos_class_or_remove_limits() {
    let api = Api::new(&quiet().start());
    let both = json!({"cpu": "1", "memory": "1Gi"});
    api.post(PODS, &with_resources("a", &json!({"requests": both, "limits": both}))).await;
    let path = format!("{PODS}/a/resize");
    for (resources, why) in [
        (json!({"requests": {"cpu": "500m"}}), "Pod QOS Class may not change as a result of resizing"),
        (json!({"limits": {"cpu": null}}), "resource limits cannot be removed"),
        (json!({"requests": {"cpu": "5"}}), "must be less than or equal to cpu limit of 1"),
    ] {
        let refused = api.send("PATCH", &path, STRATEGIC, resize(&resources)).await;
        assert_eq!(refused.status, 422, "{resources}");
        assert!(refused.message().contains(why), "{}", refused.message());
    }
    let mut renamed = api.get(&path).await.body;
    renamed["spec"]["containers"][0]["name"] = json!("other");
    let refused = api.put(&path, &renamed).await;
    assert!(refused.message().contains("containers may not be renamed or reordered on resize"), "{}", refused.body);
}
