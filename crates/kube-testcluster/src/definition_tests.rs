//! Tests that a CustomResourceDefinition leaves nothing in memory after it was changed or deleted. The server makes a
//! [`CustomResource`] of a definition, with the schema and the expressions. A weak reference to it shows if it was
//! freed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Body;
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::{Cluster, Controllers};
use kube_machinery::kinds::custom_resource::CustomResource;
use kube_machinery::value::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";
const DOCUMENT: &str = "/openapi/v3/apis/example.com/v1";

fn cluster() -> Cluster {
    Cluster::builder().controllers(Controllers::Housekeeping).start()
}

/// Returns the definition of widgets with `count` fields, in two versions.
fn widgets(count: usize) -> Value {
    let fields = (0..count).map(|n| (format!("f{n}"), json!({"type": "string", "default": "x"}))).collect();
    let spec = json!({"type": "object", "properties": Value::Object(fields), "x-kubernetes-validations": [
        {"rule": "has(self.f0)"},
    ]});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version =
        |name: &str, is_stored: bool| json!({"name": name, "served": true, "storage": is_stored, "schema": schema});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version("v1", true), version("v2", false)],
        },
    })
}

fn widget(name: &str) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": name}, "spec": {"f0": "y"}})
}

async fn send(cluster: &Cluster, method: &str, path: &str, body: &Value) -> Response<Body> {
    let kind = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("content-type", kind);
    let body = if body.is_null() { Body::empty() } else { body.to_string().into() };
    cluster.router().oneshot(request.body(body).unwrap()).await.unwrap()
}

/// Sends a request and returns the status and the body of its answer.
async fn answer(cluster: &Cluster, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let (parts, body) = send(cluster, method, path, body).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status.as_u16(), serde_json::from_slice(&body).unwrap_or_default())
}

/// Sends a request that must succeed.
async fn done(cluster: &Cluster, method: &str, path: &str, body: &Value) -> Value {
    let (status, answer) = answer(cluster, method, path, body).await;
    assert!((200..300).contains(&status), "{method} {path}: {answer}");
    answer
}

/// Returns a weak reference to the server's current [`CustomResource`] of the stored version.
fn defined(cluster: &Cluster) -> Weak<CustomResource> {
    let catalog = cluster.store.catalog();
    Arc::downgrade(catalog.definition("widgets.example.com").unwrap().stored.custom.as_ref().unwrap())
}

/// Uses the kind in every way that might keep its definition in memory.
async fn use_kind(cluster: &Cluster, name: &str) {
    let watch = send(cluster, "GET", &format!("{WIDGETS}?watch=1"), &Value::Null).await;
    let created = done(cluster, "POST", WIDGETS, &widget(name)).await;
    let owner =
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "name": name, "uid": created["metadata"]["uid"]});
    let mut dependent = widget(&format!("{name}-dependent"));
    dependent["metadata"]["ownerReferences"] = json!([owner]);
    done(cluster, "POST", WIDGETS, &dependent).await;
    let mut invalid = widget("invalid");
    invalid["spec"]["f0"] = 1.into();
    assert_eq!(answer(cluster, "POST", WIDGETS, &invalid).await.0, 422);
    let path = format!("{WIDGETS}/{name}");
    done(cluster, "PATCH", &path, &json!({"metadata": {"labels": {"a": "b"}}})).await;
    for path in [&path, &path.replace("v1", "v2"), WIDGETS, DOCUMENT, "/openapi/v3", "/apis", "/apis/example.com/v1"] {
        done(cluster, "GET", path, &Value::Null).await;
    }
    let (_, first) = watch.into_body().into_data_stream().into_future().await; // read a little, then hang up
    drop(first);
    cluster.settled().await;
}

#[tokio::test(start_paused = true)]
async fn a_changed_definition_leaves_nothing_of_its_earlier_states() {
    let cluster = cluster();
    done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    let mut earlier = Vec::new();
    for n in 2..6 {
        use_kind(&cluster, &format!("w{n}")).await;
        earlier.push(defined(&cluster));
        done(&cluster, "PATCH", DEFINITION, &json!({"spec": widgets(n)["spec"]})).await;
        cluster.settled().await;
        let alive = earlier.iter().filter(|state| state.strong_count() > 0).count();
        assert_eq!(alive, 0, "after change {n}");
    }
    assert!(defined(&cluster).strong_count() > 0);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_definition_that_only_changes_its_metadata_keeps_its_schema() {
    let cluster = cluster();
    done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    let before = defined(&cluster);
    done(&cluster, "PATCH", DEFINITION, &json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert!(before.ptr_eq(&defined(&cluster)));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_deleted_definition_leaves_nothing() {
    let cluster = cluster();
    done(&cluster, "POST", DEFINITIONS, &widgets(3)).await;
    let kinds = || cluster.store.lock().kinds_with_a_cache();
    let before = kinds();
    use_kind(&cluster, "w").await;
    let state = defined(&cluster);
    done(&cluster, "DELETE", DEFINITION, &Value::Null).await;
    tokio::time::sleep(Duration::from_secs(2)).await; // meanwhile, the finalizer deletes the objects
    cluster.compact();
    assert_eq!(state.strong_count(), 0);
    assert_eq!(kinds(), before - 1);
    for path in [DOCUMENT, "/apis/example.com", "/apis/example.com/v1", WIDGETS] {
        assert_eq!(answer(&cluster, "GET", path, &Value::Null).await.0, 404, "{path}");
    }
    let index = done(&cluster, "GET", "/openapi/v3", &Value::Null).await;
    assert!(index["paths"].get("apis/example.com/v1").is_none());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn clusters_with_the_same_definition_share_nothing() {
    let clusters = [cluster(), cluster()];
    for cluster in &clusters {
        done(cluster, "POST", DEFINITIONS, &widgets(1)).await;
        use_kind(cluster, "w").await;
    }
    let states = clusters.each_ref().map(defined);
    assert!(!states[0].ptr_eq(&states[1]));
    let [first, second] = clusters;
    first.shutdown().await;
    assert_eq!(states[0].strong_count(), 0, "a cluster that has ended leaves nothing");
    assert!(states[1].strong_count() > 0);
    second.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_log_of_a_folder_keeps_no_earlier_state_of_a_definition() {
    let folder = std::env::temp_dir().join(format!("definitions-{}", std::process::id()));
    let cluster = Cluster::builder().controllers(Controllers::Housekeeping).start_in(&folder).unwrap();
    done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    done(&cluster, "POST", WIDGETS, &widget("w")).await;
    let earlier = defined(&cluster);
    done(&cluster, "PATCH", DEFINITION, &json!({"spec": widgets(2)["spec"]})).await;
    cluster.settled().await;
    assert_eq!(earlier.strong_count(), 0);
    cluster.shutdown().await;
    let restored = Cluster::builder().controllers(Controllers::Housekeeping).start_in(&folder).unwrap();
    let widget = done(&restored, "GET", &format!("{WIDGETS}/w"), &Value::Null).await;
    assert_eq!(widget["spec"], json!({"f0": "y", "f1": "x"}));
    restored.shutdown().await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_watch_of_an_earlier_definition_does_not_end_one_of_the_next() {
    let cluster = cluster();
    let watch = async || send(&cluster, "GET", &format!("{WIDGETS}?watch=1"), &Value::Null).await.into_body();
    done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    let earlier = watch().await;
    done(&cluster, "DELETE", DEFINITION, &Value::Null).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    let mut next = watch().await.into_data_stream();
    drop(earlier);
    done(&cluster, "POST", WIDGETS, &widget("w")).await;
    let event: Value = serde_json::from_slice(&next.next().await.unwrap().unwrap()).unwrap();
    assert_eq!(event["object"]["metadata"]["name"], "w");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_outlives_its_definition_finds_no_kind() {
    let cluster = cluster();
    let revision = || cluster.store.lock().storage.revision();
    let create = async || done(&cluster, "POST", DEFINITIONS, &widgets(1)).await;
    let delete = async || {
        done(&cluster, "DELETE", DEFINITION, &Value::Null).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    create().await;
    let before = revision();
    delete().await;
    let writes = revision() - before;
    for query in ["", "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"] {
        create().await;
        // A request for the revision of the deletion's last write waits until the definition is gone.
        let path = format!("{WIDGETS}?{query}resourceVersion={}", revision() + writes);
        let ((status, answer), ()) = tokio::join!(answer(&cluster, "GET", &path, &Value::Null), delete());
        let code = if status == 200 { answer["object"]["code"].clone() } else { status.into() };
        assert_eq!(code, 404, "{answer}");
    }
    cluster.shutdown().await;
}
