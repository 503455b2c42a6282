//! Tests PUT and PATCH requests to the in-memory API server, and the status subresource.

use kube_testcluster::ManagedFields;
use serde_json::{Value, json};

use crate::support::api::{Api, item, pod, quiet};

#[tokio::test(start_paused = true)]
async fn a_put_needs_the_current_resource_version_or_none() {
    let api = Api::new(&quiet().start());
    let first = api.pod("a", &json!({"v": "1"})).await;
    let read = api.get(&item("a")).await.body;
    let no_op = api.put(&item("a"), &read).await;
    assert_eq!((no_op.status, no_op.version()), (200, first));
    let changed = |version: Value, label: &str| {
        let mut pod = read.clone();
        pod["metadata"]["resourceVersion"] = version;
        pod["metadata"]["labels"]["v"] = json!(label);
        pod
    };
    let second = api.put(&item("a"), &changed(json!(first.to_string()), "2")).await.version();
    assert!(second > first);
    let stale = api.put(&item("a"), &changed(json!(first.to_string()), "3")).await;
    assert_eq!((stale.status, stale.body["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(
        stale.message(),
        "Operation cannot be fulfilled on pods \"a\": the object has been modified; please apply your changes to the latest version and try again"
    );
    assert_eq!(api.put(&item("a"), &changed(Value::Null, "3")).await.status, 200); // unconditional
    let bad = api.put(&item("a"), &changed(json!("abc"), "4")).await;
    assert_eq!((bad.status, bad.message()), (500, "strconv.ParseUint: parsing \"abc\": invalid syntax"));
    let mut other = changed(Value::Null, "5");
    other["metadata"]["uid"] = json!("other");
    assert!(api.put(&item("a"), &other).await.message().contains("Precondition failed: UID in precondition: other"));
    let renamed = api.put(&item("b"), &read).await;
    assert_eq!(renamed.message(), "the name of the object (a) does not match the name on the URL (b)");
    assert_eq!(api.put(&item("nosuch"), &pod("nosuch", &json!({}))).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_generation_counts_spec_changes_and_a_put_does_not_change_the_status() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let mut read = api.get(&item("a")).await.body;
    read["status"]["phase"] = json!("Running");
    read["spec"]["containers"][0]["image"] = json!("nginx:1.28");
    read["metadata"]["resourceVersion"].take();
    let put = api.put(&item("a"), &read).await.body;
    assert_eq!((&put["metadata"]["generation"], &put["status"]["phase"]), (&json!(2), &json!("Pending")));
    read["spec"]["restartPolicy"] = json!("Never");
    let refused = api.put(&item("a"), &read).await;
    assert_eq!(refused.status, 422);
    assert!(refused.message().starts_with("Pod \"a\" is invalid: spec: Forbidden: pod updates may not change fields"));
}

#[tokio::test(start_paused = true)]
async fn patches_are_applied_and_a_patch_without_changes_writes_nothing() {
    let api = Api::new(&quiet().start());
    let first = api.pod("a", &json!({"app": "web"})).await;
    let mut watch = api.watch(&format!("resourceVersion={first}")).await;
    assert_eq!(api.label("a", &json!({"m": "1"})).await, first + 1);
    assert_eq!(api.label("a", &json!({"m": null})).await, first + 2);
    assert_eq!(api.label("a", &json!({"m": null})).await, first + 2);
    let operations = json!([{"op": "add", "path": "/metadata/labels/j", "value": "1"}]).to_string();
    let patched = api.send("PATCH", &item("a"), "application/json-patch+json", operations).await;
    assert_eq!(patched.body["metadata"]["labels"], json!({"app": "web", "j": "1"}));
    assert_eq!(watch.short_events().await, ["MODIFIED a"; 3]);
    for (kind, patch, code, message) in [
        (
            "application/json-patch+json",
            json!([{"op": "test", "path": "/metadata/labels/j", "value": "2"}]),
            422,
            "the server rejected our request due to an error in our request",
        ),
        ("application/json-patch+json", json!({"a": 1}), 400, "error decoding patch: "),
        (
            "application/merge-patch+json",
            json!({"metadata": {"name": "x"}}),
            400,
            "the name of the object (x) does not match the name on the URL (a)",
        ),
        (
            "application/merge-patch+json",
            json!({"metadata": {"resourceVersion": first.to_string()}}),
            409,
            "Operation cannot be fulfilled on pods \"a\"",
        ),
        (
            "application/merge-patch+json",
            json!({"metadata": {"labels": {"a": "no spaces"}}}),
            422,
            "Pod \"a\" is invalid: metadata.labels",
        ),
        ("application/merge-patch+json", json!({"spec": "x"}), 422, " \"\" is invalid: patch: Invalid value: "),
        (
            "application/merge-patch+json",
            json!({"metadata": null}),
            400,
            "the name of the object (a based on URL) was undeterminable",
        ),
        ("application/merge-patch+json", json!({"metadata": {"labels": null}}), 200, ""),
        ("application/json", json!({}), 415, "415: Unsupported Media Type"),
        ("", json!({}), 415, "415: Unsupported Media Type"),
    ] {
        let answer = api.send("PATCH", &item("a"), kind, patch.to_string()).await;
        assert_eq!(answer.status, code, "{kind} {patch} {}", answer.body);
        assert!(answer.body["message"].as_str().unwrap_or_default().starts_with(message), "{}", answer.body);
    }
    let malformed = api.send("PATCH", &item("a"), "application/merge-patch+json", "{").await;
    assert_eq!((malformed.status, malformed.message()), (400, "invalid JSON patch"));
    assert_eq!(api.merge(&item("nosuch"), &json!({})).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_status_can_only_be_written_through_its_subresource() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    assert_eq!(api.get(&item("a/status")).await.body, api.get(&item("a")).await.body);
    let patched =
        api.merge(&item("a/status"), &json!({"status": {"phase": "Running"}, "spec": {"nodeName": "n"}})).await;
    assert_eq!((&patched.body["status"]["phase"], patched.body["spec"].get("nodeName")), (&json!("Running"), None));
    let mut read = patched.body.clone();
    read["metadata"]["labels"] = json!({"via": "status"});
    read["status"]["phase"] = json!("Failed");
    let put = api.put(&item("a/status"), &read).await.body;
    assert_eq!((&put["status"]["phase"], &put["metadata"]["labels"]), (&json!("Failed"), &json!({"via": "status"})));
    assert_eq!(put["metadata"]["generation"], 1);
    assert_eq!(api.put(&item("a/status"), &read).await.status, 409);
    let ignored = api.merge(&item("a"), &json!({"status": {"phase": "Running"}})).await;
    assert_eq!(ignored.body["status"]["phase"], "Failed");
    for method in ["DELETE", "POST"] {
        assert_eq!(api.send(method, &item("a/status"), "application/json", "{}").await.status, 405);
    }
}

/// Upstream clears the field when it writes to storage, so answers without a write to storage still have it.
#[tokio::test(start_paused = true)]
async fn a_self_link_is_never_stored() {
    let api = Api::new(&quiet().start());
    let (all, one) = ("/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/configmaps/a");
    let held = json!({"metadata": {"name": "a", "selfLink": "/x", "finalizers": ["example.org/hold"]}});
    assert_eq!(api.post(all, &held).await.body["metadata"].get("selfLink"), None);
    let before = api.get(one).await.version();
    let written = api.put(one, &held).await;
    assert_eq!((written.version(), written.body["metadata"].get("selfLink")), (before, None));
    let pretended = api.put(&format!("{one}?dryRun=All"), &held).await;
    assert_eq!(pretended.body["metadata"]["selfLink"], "/x");
    api.delete(one).await;
    let released = api.put(one, &json!({"metadata": {"name": "a", "selfLink": "/x"}})).await;
    assert_eq!((released.status, &released.body["metadata"]["selfLink"]), (200, &json!("/x")));
    assert_eq!(api.get(one).await.status, 404);
}

/// The status subresource leaves owners as they are, so nothing changes.
#[tokio::test(start_paused = true)]
async fn a_json_patch_of_owners_through_the_status_writes_nothing() {
    let api = Api::new(&quiet().managed_fields(ManagedFields::Kept).start());
    let owners = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}]);
    let patch = json!([{"op": "add", "path": "/metadata/ownerReferences", "value": owners}]).to_string();
    let created = api.pod("a", &json!({})).await;
    for _ in 0..2 {
        let patched = api.send("PATCH", &item("a/status"), "application/json-patch+json", patch.clone()).await;
        assert_eq!((patched.status, patched.version()), (200, created), "{}", patched.body);
        assert!(patched.body["metadata"]["ownerReferences"].is_null());
    }
}
