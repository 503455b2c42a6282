//! Tests server-side apply and managed fields: which manager owns which field of an object.

use std::collections::BTreeSet;

use kube_testcluster::{Cluster, ManagedFields};
use serde_json::{Value, json};

use crate::cluster_validation::{cases, fixtures};
use crate::support::api::{Answer, Api, item, pod, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const APPLY: &str = "application/apply-patch+yaml";

fn api() -> Api {
    Api::new(&quiet().managed_fields(ManagedFields::Kept).start())
}

fn map(data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data})
}

async fn apply(api: &Api, path: &str, query: &str, config: &Value) -> Answer {
    api.send("PATCH", &format!("{path}?{query}"), APPLY, config.to_string()).await
}

/// Returns each managedFields entry of an object as a text: manager, operation, subresource and fields.
fn owners(object: &Value) -> Vec<String> {
    let owner = |entry: &Value| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default();
        format!("{} {} {} {}", text("manager"), text("operation"), text("subresource"), entry["fieldsV1"])
    };
    object["metadata"]["managedFields"].as_array().into_iter().flatten().map(owner).collect()
}

#[tokio::test(start_paused = true)]
async fn an_apply_creates_an_object_changes_fields_and_removes_fields() {
    let api = api();
    let path = format!("{MAPS}/a");
    let created = apply(&api, &path, "fieldManager=one", &map(&json!({"x": "1", "y": "1"}))).await;
    assert_eq!(created.status, 201);
    assert_eq!(owners(&created.body), [r#"one Apply  {"f:data":{"f:x":{},"f:y":{}}}"#]);
    let again = apply(&api, &path, "fieldManager=one", &map(&json!({"x": "1", "y": "1"}))).await;
    assert_eq!((again.status, again.version()), (200, created.version()), "an apply without changes writes nothing");
    let changed = apply(&api, &path, "fieldManager=one", &map(&json!({"y": "2"}))).await;
    assert_eq!(changed.body["data"], json!({"y": "2"}), "a field that is no longer applied is removed");
    let shared = apply(&api, &path, "fieldManager=two", &map(&json!({"y": "2"}))).await;
    assert_eq!(shared.status, 200, "two managers may own a field if they agree on its value");
    assert_eq!(
        owners(&shared.body),
        [r#"two Apply  {"f:data":{"f:y":{}}}"#, r#"one Apply  {"f:data":{"f:y":{}}}"#],
        "an apply that changes nothing has no time, so it is the oldest"
    );
    let left = apply(&api, &path, "fieldManager=one", &map(&json!({}))).await;
    assert_eq!(left.body["data"], json!({"y": "2"}), "the field has another owner, so it stays");
}

#[tokio::test(start_paused = true)]
async fn applying_a_field_of_another_manager_is_a_conflict_unless_forced() {
    let api = api();
    let path = format!("{MAPS}/a");
    apply(&api, &path, "fieldManager=one", &map(&json!({"x": "1"}))).await;
    api.send("PATCH", &format!("{path}?fieldManager=three"), "application/merge-patch+json", r#"{"data":{"z":"3"}}"#)
        .await;
    let refused = apply(&api, &path, "fieldManager=two", &map(&json!({"x": "2"}))).await;
    assert_eq!((refused.status, refused.body["reason"].as_str()), (409, Some("Conflict")));
    assert_eq!(refused.message(), "Apply failed with 1 conflict: conflict with \"one\": .data.x");
    let cause = json!({"reason": "FieldManagerConflict", "message": "conflict with \"one\"", "field": ".data.x"});
    assert_eq!(refused.body["details"]["causes"], json!([cause]));
    let both = apply(&api, &path, "fieldManager=two", &map(&json!({"x": "2", "z": "2"}))).await;
    let expected = "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.x\nconflicts with \"three\" using v1:\n- .data.z";
    assert_eq!(both.message(), expected);
    let forced = apply(&api, &path, "fieldManager=two&force=true", &map(&json!({"x": "2"}))).await;
    assert_eq!(forced.status, 200);
    assert_eq!(
        owners(&forced.body),
        [r#"two Apply  {"f:data":{"f:x":{}}}"#, r#"three Update  {"f:data":{"f:z":{}}}"#,]
    );
}

#[tokio::test(start_paused = true)]
async fn a_writer_owns_the_fields_that_it_changes() {
    let api = api();
    api.send(
        "POST",
        "/api/v1/namespaces/default/pods?fieldManager=maker",
        "application/json",
        pod("a", &json!({"app": "web"})).to_string(),
    )
    .await;
    let created = api.get(&item("a")).await.body;
    let [owner] = &owners(&created)[..] else { panic!("{created}") };
    assert!(
        owner.starts_with(
            r#"maker Update  {"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{"#
        ),
        "{owner}"
    );
    assert!(!owner.contains("f:status") && !owner.contains("f:uid"), "{owner}");
    let status = json!({"status": {"phase": "Running"}, "spec": {"nodeName": "x"}}).to_string();
    let path = format!("{}/status?fieldManager=kubelet", item("a"));
    let changed = api.send("PATCH", &path, "application/merge-patch+json", status).await;
    assert_eq!(owners(&changed.body)[0], r#"kubelet Update status {"f:status":{"f:phase":{}}}"#);
    let same = api.send("PATCH", &path, "application/merge-patch+json", r#"{"status":{"phase":"Running"}}"#).await;
    assert_eq!(same.version(), changed.version());
}

#[tokio::test(start_paused = true)]
async fn an_apply_needs_a_field_manager_and_a_valid_object() {
    let api = api();
    let path = format!("{MAPS}/a");
    let without_manager = apply(&api, &path, "", &map(&json!({}))).await;
    assert_eq!(without_manager.status, 422);
    assert_eq!(
        without_manager.message(),
        "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch"
    );
    let other = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
    let other = apply(&api, &path, "fieldManager=one", &other).await;
    assert_eq!((other.status, other.message()), (400, "invalid object type: /v1, Kind=Secret"));
    let mut unknown = map(&json!({}));
    unknown["x"] = json!(1);
    let unknown = apply(&api, &path, "fieldManager=one", &unknown).await;
    assert_eq!(unknown.status, 500);
    assert_eq!(
        unknown.message(),
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .x: field not declared in schema"
    );
    let mut owned = map(&json!({}));
    owned["metadata"]["managedFields"] = json!([]);
    let owned = apply(&api, &path, "fieldManager=one", &owned).await;
    assert_eq!((owned.status, owned.message()), (400, "metadata.managedFields must be nil"));
}

#[tokio::test(start_paused = true)]
async fn an_empty_managed_fields_list_stops_tracking_until_the_next_apply() {
    let api = api();
    let path = format!("{MAPS}/a");
    apply(&api, &path, "fieldManager=one", &map(&json!({"x": "1"}))).await;
    let reset = api.merge(&path, &json!({"metadata": {"managedFields": []}})).await;
    assert_eq!(owners(&reset.body), [""; 0]);
    let patched = api.merge(&path, &json!({"data": {"y": "1"}})).await;
    assert_eq!(owners(&patched.body), [""; 0], "no fields are tracked before the next apply");
    let applied = apply(&api, &path, "fieldManager=two", &map(&json!({"x": "1"}))).await;
    assert_eq!(
        owners(&applied.body),
        [r#"two Apply  {"f:data":{"f:x":{}}}"#, r#"before-first-apply Update  {"f:data":{".":{},"f:x":{},"f:y":{}}}"#,]
    );
}

#[tokio::test(start_paused = true)]
async fn with_managed_fields_off_an_apply_is_refused() {
    let api = Api::new(&quiet().managed_fields(ManagedFields::Off).start());
    api.pod("a", &json!({})).await;
    assert!(api.get(&item("a")).await.body["metadata"]["managedFields"].is_null());
    let refused = apply(&api, &format!("{MAPS}/a"), "fieldManager=one", &map(&json!({}))).await;
    assert_eq!(refused.status, 415);
}

#[tokio::test(start_paused = true)]
async fn by_default_managed_fields_start_with_the_first_apply() {
    let api = Api::new(&quiet().start());
    let path = format!("{MAPS}/a");
    let made = api.post(MAPS, &map(&json!({"x": "1"}))).await;
    assert_eq!(owners(&made.body), [""; 0]);
    let changed = api.merge(&path, &json!({"data": {"y": "1"}})).await;
    assert_eq!(owners(&changed.body), [""; 0], "the object was never applied");
    let refused = apply(&api, &path, "fieldManager=one", &map(&json!({"x": "2"}))).await;
    assert_eq!(
        refused.message(),
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x"
    );
    let applied = apply(&api, &path, "fieldManager=one&force=true", &map(&json!({"x": "2"}))).await;
    assert_eq!(
        owners(&applied.body),
        [r#"one Apply  {"f:data":{"f:x":{}}}"#, r#"before-first-apply Update  {"f:data":{".":{},"f:y":{}}}"#]
    );
    let patch = r#"{"data":{"z":"1"}}"#;
    let patched = api.send("PATCH", &format!("{path}?fieldManager=two"), "application/merge-patch+json", patch).await;
    assert_eq!(owners(&patched.body).last().unwrap(), r#"two Update  {"f:data":{"f:z":{}}}"#);
    let mut other = map(&json!({}));
    other["metadata"] = json!({"name": "b", "labels": {"x": "y"}});
    let created = apply(&api, &format!("{MAPS}/b"), "fieldManager=one", &other).await;
    assert_eq!(owners(&created.body), [r#"one Apply  {"f:data":{},"f:metadata":{"f:labels":{"f:x":{}}}}"#]);
}

#[tokio::test(start_paused = true)]
async fn an_object_created_with_managed_fields_is_tracked_from_its_creation() {
    let api = Api::new(&quiet().start());
    let mut copy = map(&json!({"x": "1", "y": "1"}));
    let entry = json!({"manager": "one", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {"f:x": {}}}});
    copy["metadata"]["managedFields"] = json!([entry]);
    let made = api.send("POST", &format!("{MAPS}?fieldManager=two"), "application/json", copy.to_string()).await;
    assert_eq!(
        owners(&made.body),
        [r#"two Update  {"f:data":{".":{},"f:x":{},"f:y":{}}}"#],
        "the creator owns all fields, whatever managedFields the object brings"
    );
}

const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";

fn set(replicas: Option<i64>) -> Value {
    let mut set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "a"}, "spec": {
        "selector": {"matchLabels": {"app": "x"}},
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }});
    if let Some(replicas) = replicas {
        set["spec"]["replicas"] = json!(replicas);
    }
    set
}

fn scale(replicas: i64) -> Value {
    json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "a"}, "spec": {"replicas": replicas}})
}

/// Returns the managers that own `spec.replicas`, each with its operation and subresource.
fn owners_of_replicas(set: &Value) -> Vec<String> {
    let has = |owner: &&String| owner.contains(r#""f:replicas":{}"#) && !owner.contains("f:status");
    owners(set).iter().filter(has).map(|owner| owner.split(" {").next().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn applying_a_scale_takes_ownership_of_the_replicas_of_the_object() {
    let api = api();
    let path = format!("{SETS}/a");
    apply(&api, &path, "fieldManager=one", &set(Some(1))).await;
    let refused = apply(&api, &format!("{path}/scale"), "fieldManager=two", &scale(3)).await;
    assert_eq!(refused.message(), "Apply failed with 1 conflict: conflict with \"one\": .spec.replicas");
    let scaled = apply(&api, &format!("{path}/scale"), "fieldManager=two&force=true", &scale(3)).await;
    assert_eq!((scaled.status, &scaled.body["spec"]), (200, &json!({"replicas": 3})));
    assert_eq!(scaled.body["metadata"]["managedFields"], Value::Null, "a Scale has no managedFields");
    let now = api.get(&path).await.body;
    assert_eq!(now["spec"]["replicas"], 3);
    assert_eq!(owners_of_replicas(&now), ["two Apply scale"]);
    let again = apply(&api, &path, "fieldManager=one", &set(None)).await;
    assert_eq!((again.status, &again.body["spec"]["replicas"]), (200, &json!(3)), "the new owner keeps the replicas");
    let update = format!("{path}/scale?fieldManager=three");
    let put = api.send("PUT", &update, "application/json", scale(5).to_string()).await;
    assert_eq!(put.status, 200);
    assert_eq!(owners_of_replicas(&api.get(&path).await.body), ["three Update scale"]);
    let nothing = apply(&api, &format!("{SETS}/b/scale"), "fieldManager=two", &scale(3)).await;
    assert_eq!(nothing.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_writer_does_not_own_fields_that_its_write_cannot_change() {
    let api = api();
    let path = format!("{SETS}/a");
    let mut made = set(Some(0));
    made["status"] = json!({"replicas": 7});
    let made = api.send("POST", &format!("{SETS}?fieldManager=one"), "application/json", made.to_string()).await;
    assert!(!owners(&made.body)[0].contains("f:status"), "{}", made.body);
    let patch = json!({"spec": {"replicas": 5}, "status": {"replicas": 2}}).to_string();
    let status = format!("{path}/status?fieldManager=two");
    let patched = api.send("PATCH", &status, "application/merge-patch+json", patch).await;
    assert_eq!(owners(&patched.body).last().unwrap(), r#"two Update status {"f:status":{"f:replicas":{}}}"#);
}

#[tokio::test(start_paused = true)]
async fn controllers_and_kubelet_own_the_fields_that_they_write() {
    let cluster =
        Cluster::builder().managed_fields(ManagedFields::Kept).started_at("2023-05-01T10:00:00Z".parse().unwrap());
    let cluster = cluster.start();
    let api = Api::new(&cluster);
    let made =
        api.send("POST", &format!("{SETS}?fieldManager=one"), "application/json", set(Some(1)).to_string()).await;
    assert_eq!(made.status, 201);
    tokio::time::sleep(std::time::Duration::from_secs(60)).await; // virtual time: it passes only while all tasks wait
    let names = |object: &Value| -> BTreeSet<String> {
        owners(object).iter().map(|owner| owner.split(" {").next().unwrap().to_owned()).collect()
    };
    let of_set = names(&api.get(&format!("{SETS}/a")).await.body);
    assert_eq!(Vec::from_iter(of_set), ["kube-controller-manager Update status", "one Update "]);
    let pods = api.items("/api/v1/namespaces/default/pods").await;
    // The kubelet also writes the network plugin's annotation.
    let of_pod = ["kube-controller-manager Update ", "kubelet Update ", "kubelet Update status"];
    assert_eq!(Vec::from_iter(names(&pods[0])), of_pod);
}

#[tokio::test(start_paused = true)]
async fn with_more_than_ten_managers_the_oldest_are_merged() {
    let api = api();
    let path = format!("{MAPS}/a");
    api.send("POST", &format!("{MAPS}?fieldManager=m00"), "application/json", map(&json!({"k00": "1"})).to_string())
        .await;
    for n in 1..=12 {
        let patch = json!({"data": {format!("k{n:02}"): "1"}}).to_string();
        api.send("PATCH", &format!("{path}?fieldManager=m{n:02}"), "application/merge-patch+json", patch).await;
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    let owners = owners(&api.get(&path).await.body);
    assert_eq!(owners.len(), 10);
    assert_eq!(owners[0], r#"ancient-changes Update  {"f:data":{".":{},"f:k00":{},"f:k01":{},"f:k02":{},"f:k03":{}}}"#);
    assert_eq!(owners[9], r#"m12 Update  {"f:data":{"f:k12":{}}}"#);
}

#[tokio::test(start_paused = true)]
async fn kubectl_takes_over_the_fields_of_its_client_side_applies() {
    const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let api = api();
    let path = format!("{MAPS}/a");
    let mut first = map(&json!({"x": "1"}));
    first["metadata"]["annotations"] = json!({LAST: map(&json!({"x": "1"})).to_string()});
    let made = format!("{MAPS}?fieldManager=kubectl-client-side-apply");
    api.send("POST", &made, "application/json", first.to_string()).await;
    let other = apply(&api, &path, "fieldManager=other", &map(&json!({"x": "2"}))).await;
    assert_eq!(other.status, 409);
    let taken = apply(&api, &path, "fieldManager=kubectl", &map(&json!({"x": "2"}))).await;
    assert_eq!((taken.status, &taken.body["data"]), (200, &json!({"x": "2"})));
    let annotation = taken.body["metadata"]["annotations"][LAST].as_str().unwrap_or_default();
    assert_eq!(annotation, format!("{}\n", map(&json!({"x": "2"}))));
}

/// Afterwards, kubectl turns the owner of its annotation into an applier, whose other fields the next apply removes. So
/// that owner must have no field of another writer.
#[tokio::test(start_paused = true)]
async fn the_first_apply_by_kubectl_takes_over_only_the_fields_of_its_client_side_applies() {
    const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let api = Api::new(&quiet().start());
    let path = format!("{MAPS}/a");
    let config = map(&json!({"same": "1", "changed": "1"}));
    let mut first = config.clone();
    first["metadata"]["annotations"] = json!({LAST: config.to_string()});
    api.post(MAPS, &first).await;
    let others =
        json!({"metadata": {"labels": {"team": "x"}, "finalizers": ["x.io/f"]}, "data": {"changed": "4", "more": "1"}});
    api.merge(&path, &others).await;
    let applied = apply(&api, &path, "fieldManager=kubectl&force=true", &map(&json!({"same": "1"}))).await;
    assert_eq!(applied.body["data"], json!({"same": "1", "changed": "4", "more": "1"}));
    assert_eq!(
        owners(&applied.body),
        [
            r#"kubectl Apply  {"f:data":{"f:same":{}}}"#.to_owned(),
            concat!(
                r#"before-first-apply Update  {"f:data":{".":{},"f:changed":{},"f:more":{}},"#,
                r#""f:metadata":{"f:annotations":{},"f:finalizers":{".":{},"v:\"x.io/f\"":{}},"f:labels":{".":{},"f:team":{}}}}"#
            )
            .to_owned(),
            format!(
                r#"kubectl-client-side-apply Update  {{"f:data":{{"f:same":{{}}}},"f:metadata":{{"f:annotations":{{"f:{LAST}":{{}}}}}}}}"#
            ),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_applied_certificate_signing_request_records_the_authenticated_user() {
    let api = api();
    let mut request = cases(&fixtures().join("certificates.jsonl"))[0]["new"].take();
    request["spec"]["username"] = json!("admin");
    request["spec"]["groups"] = json!(["system:masters"]);
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests/a";
    let applied = apply(&api, path, "fieldManager=one", &request).await;
    assert_eq!((applied.status, &applied.body["spec"]["username"]), (201, &json!("system:anonymous")));
    assert_ne!(applied.body["spec"]["groups"], json!(["system:masters"]));
}

#[tokio::test(start_paused = true)]
async fn an_apply_names_all_faults_beside_an_unknown_field() {
    let api = Api::new(&quiet().start());
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "odd": true, "data": {"k": 1}, "binaryData": 7,
    });
    let refused = apply(&api, &format!("{MAPS}/a"), "fieldManager=me", &config).await;
    assert_eq!(refused.status, 500, "{}", refused.body);
    for fault in [
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): errors:",
        "\n  .binaryData: expected map, got &{7}",
        "\n  .data.k: expected string, got &value.valueUnstructured{Value:1}",
        "\n  .odd: field not declared in schema",
    ] {
        assert!(refused.message().contains(fault), "{fault}: {}", refused.message());
    }
}
