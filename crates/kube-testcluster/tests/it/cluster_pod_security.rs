//! Tests the plugin `PodSecurity`: the labels of a namespace decide which pods may enter it. The checks themselves have
//! their tests beside the code, with upstream's answers.

use kube_testcluster::{Admission, ClusterBuilder, Controllers};
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const RESTRICTED: &str = "/api/v1/namespaces/safe/pods";

/// Returns the builder of a cluster with kube-apiserver's plugins. Without controllers, pods need no service account.
fn kube() -> ClusterBuilder {
    quiet().admission(Admission::Kube).controllers(Controllers::None)
}

/// Returns a cluster with the namespace `safe`, which enforces the level `restricted`.
async fn start() -> Api {
    let api = Api::new(&kube().start());
    assert_eq!(api.post("/api/v1/namespaces", &namespace(&json!({"enforce": "restricted"}))).await.status, 201);
    api
}

fn namespace(labels: &Value) -> Value {
    let labels = labels.as_object().unwrap().iter();
    let labels: Value =
        labels.map(|(mode, level)| (format!("pod-security.kubernetes.io/{mode}"), level.clone())).collect();
    json!({"metadata": {"name": "safe", "labels": labels}})
}

/// Returns a pod that the level `restricted` allows, with `changes` to its container.
fn pod(name: &str, changes: &Value) -> Value {
    let mut container = json!({"name": "main", "image": "nginx", "securityContext": {
        "allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true,
        "seccompProfile": {"type": "RuntimeDefault"},
    }});
    for (field, value) in changes.as_object().unwrap() {
        container[field] = value.clone();
    }
    json!({"metadata": {"name": name}, "spec": {"containers": [container]}})
}

fn privileged() -> Value {
    json!({"securityContext": {"privileged": true}})
}

#[tokio::test(start_paused = true)]
async fn a_privileged_pod_is_refused_by_a_restricted_namespace() {
    let api = start().await;
    let refused = api.post(RESTRICTED, &pod("a", &privileged())).await;
    assert_eq!((refused.status, &refused.body["reason"]), (403, &json!("Forbidden")));
    assert_eq!(refused.body["details"], json!({"name": "a", "kind": "pods"}));
    assert_eq!(
        refused.message(),
        "pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": privileged (container \"main\" must not set \
         securityContext.privileged=true), allowPrivilegeEscalation != false (container \"main\" must set \
         securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container \"main\" must set \
         securityContext.capabilities.drop=[\"ALL\"]), runAsNonRoot != true (pod or container \"main\" must set \
         securityContext.runAsNonRoot=true), seccompProfile (pod or container \"main\" must set \
         securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\")"
    );
    let allowed = api.post(RESTRICTED, &pod("a", &json!({}))).await;
    assert_eq!((allowed.status, allowed.warnings()), (201, vec![]));
    assert_eq!(api.post("/api/v1/namespaces/default/pods", &pod("a", &privileged())).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn an_update_is_judged_if_it_changes_a_container() {
    let api = start().await;
    assert_eq!(api.merge("/api/v1/namespaces/safe", &namespace(&json!({"enforce": "privileged"}))).await.status, 200);
    assert_eq!(api.post(RESTRICTED, &pod("a", &privileged())).await.status, 201);
    let relabelled = api.merge("/api/v1/namespaces/safe", &namespace(&json!({"enforce": "baseline"}))).await;
    assert_eq!(
        relabelled.warnings(),
        [
            "299 - \"existing pods in namespace \\\"safe\\\" violate the new PodSecurity enforce level \
             \\\"baseline:latest\\\"\"",
            "299 - \"a: privileged\"",
        ]
    );
    let path = format!("{RESTRICTED}/a");
    assert_eq!(api.merge(&path, &json!({"metadata": {"labels": {"a": "b"}}})).await.status, 200);
    let image = json!([{"op": "replace", "path": "/spec/containers/0/image", "value": "other"}]);
    let other = api.send("PATCH", &path, "application/json-patch+json", image.to_string()).await;
    assert_eq!((other.status, &other.body["reason"]), (403, &json!("Forbidden")), "{}", other.body);
    let debugger = json!({"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}]}});
    assert_eq!(api.merge(&format!("{path}/ephemeralcontainers"), &debugger).await.status, 403);
}

#[tokio::test(start_paused = true)]
async fn a_template_of_pods_is_warned_about() {
    let api = start().await;
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": true, "containers": [
        {"name": "main", "image": "nginx", "securityContext": {"runAsUser": 1}},
    ]}});
    let spec = json!({"selector": {"matchLabels": {"a": "b"}}, "template": template});
    let deployment = json!({"metadata": {"name": "a"}, "spec": spec});
    let made = api.post("/apis/apps/v1/namespaces/safe/deployments", &deployment).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let [warning] = made.warnings()[..] else { panic!("{:?}", made.warnings()) };
    let begins = "299 - \"would violate PodSecurity \\\"restricted:latest\\\": host namespaces (hostNetwork=true), ";
    assert!(warning.starts_with(begins), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn a_new_namespace_must_have_valid_labels() {
    let api = Api::new(&kube().start());
    let refused = api.post("/api/v1/namespaces", &namespace(&json!({"enforce": "strict", "warn-version": "1"}))).await;
    assert_eq!((refused.status, &refused.body["reason"]), (422, &json!("Invalid")));
    let fields: Vec<&str> = refused.body["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| cause["field"].as_str().unwrap())
        .collect();
    assert_eq!(
        fields,
        [
            "metadata.labels[pod-security.kubernetes.io/enforce]",
            "metadata.labels[pod-security.kubernetes.io/warn-version]"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_violates_only_the_level_of_warnings_is_accepted_with_one() {
    let api = Api::new(&kube().start());
    let labels = json!({"enforce": "baseline", "warn": "restricted", "warn-version": "v1.24"});
    assert_eq!(api.post("/api/v1/namespaces", &namespace(&labels)).await.status, 201);
    let made = api.post(RESTRICTED, &pod("a", &json!({"securityContext": {"runAsNonRoot": true}}))).await;
    assert_eq!(made.status, 201);
    let [warning] = made.warnings()[..] else { panic!("{:?}", made.warnings()) };
    let begins = "299 - \"would violate PodSecurity \\\"restricted:v1.24\\\": allowPrivilegeEscalation != false (";
    assert!(warning.starts_with(begins), "{warning}");
}

#[tokio::test(start_paused = true)]
async fn a_plain_cluster_takes_every_pod() {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post("/api/v1/namespaces", &namespace(&json!({"enforce": "restricted"}))).await.status, 201);
    assert_eq!(api.post(RESTRICTED, &pod("a", &privileged())).await.status, 201);
}
