//! The validation of the kinds, case by case against kube-apiserver's own: `fixtures/validation`, written by `peers/validation`
//! from the strategies of k8s.io/kubernetes v1.37.2 (`pkg/registry`, `pkg/apis/core/validation/validation.go`).

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/validation")
}

fn cases(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn collection(object: &Value) -> &'static str {
    match object["kind"].as_str().unwrap() {
        "ControllerRevision" => "/apis/apps/v1/namespaces/default/controllerrevisions",
        "CronJob" => "/apis/batch/v1/namespaces/default/cronjobs",
        "DaemonSet" => "/apis/apps/v1/namespaces/default/daemonsets",
        "Deployment" => "/apis/apps/v1/namespaces/default/deployments",
        "Job" => "/apis/batch/v1/namespaces/default/jobs",
        "StatefulSet" => "/apis/apps/v1/namespaces/default/statefulsets",
        "ConfigMap" => "/api/v1/namespaces/default/configmaps",
        "Lease" => "/apis/coordination.k8s.io/v1/namespaces/default/leases",
        "Namespace" => "/api/v1/namespaces",
        "Node" => "/api/v1/nodes",
        "Pod" => "/api/v1/namespaces/default/pods",
        "ReplicaSet" => "/apis/apps/v1/namespaces/default/replicasets",
        "Secret" => "/api/v1/namespaces/default/secrets",
        "Service" => "/api/v1/namespaces/default/services",
        "ServiceAccount" => "/api/v1/namespaces/default/serviceaccounts",
        other => panic!("no path for {other}"),
    }
}

async fn sent(case: &Value) -> Answer {
    let api = Api::new(&quiet().start());
    let (path, new) = (collection(&case["new"]), &case["new"]);
    let Some(old) = case.get("old") else { return api.post(&format!("{path}?dryRun=All"), new).await };
    let created = api.post(path, old).await;
    assert_eq!(created.status, 201, "{old}: {}", created.body);
    let name = new["metadata"]["name"].as_str().unwrap();
    let part = case["subresource"].as_str().map(|part| format!("/{part}")).unwrap_or_default();
    api.send("PUT", &format!("{path}/{name}{part}"), "application/json", new.to_string()).await
}

/// Field and message of each cause. What follows a line's end is the difference of two structs as Go prints it.
fn told(causes: &Value) -> Vec<String> {
    let list = causes.as_array().into_iter().flatten();
    list.map(|cause| {
        let message = cause["message"].as_str().unwrap();
        format!("{}: {}", cause["field"].as_str().unwrap_or_default(), message.split('\n').next().unwrap_or_default())
    })
    .collect()
}

/// What differs from upstream: the case, upstream's causes, and the answer here.
async fn difference(case: &Value) -> Option<String> {
    let answer = sent(case).await;
    let (expected, found) = (told(&case["causes"]), told(&answer.body["details"]["causes"]));
    let status = if expected.is_empty() { answer.status < 300 } else { answer.status == 422 };
    let shown = || format!("{case}\n  upstream {expected:#?}\n  here {} {found:#?}", answer.status);
    (!status || expected != found).then(shown)
}

#[tokio::test(start_paused = true)]
async fn objects_are_refused_for_upstreams_reasons_in_upstreams_words() {
    let mut count = 0;
    let mut differences = Vec::new();
    for kind in ["nodes", "services", "pods", "others", "deployments"] {
        for case in cases(&fixtures().join(format!("{kind}.jsonl"))) {
            count += 1;
            differences.extend(difference(&case).await);
        }
    }
    assert!(count > 150, "{count} cases");
    assert!(differences.is_empty(), "{} of {count} differ\n{}", differences.len(), differences.join("\n"));
}

/// A case that is met has to move to the others.
#[tokio::test(start_paused = true)]
async fn what_is_not_checked_yet_is_known() {
    for case in cases(&fixtures().join("missing.jsonl")) {
        assert!(difference(&case).await.is_some(), "this is met by now: {case}");
    }
    let refused = json!([{"field": "spec", "message": "Forbidden: x\n(a difference)"}]);
    assert_eq!(told(&refused), ["spec: Forbidden: x"]);
}
