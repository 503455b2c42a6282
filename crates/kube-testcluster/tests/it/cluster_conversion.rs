//! Tests a custom resource whose versions are converted by a webhook: the API is called through the router, the webhook
//! answers over TLS.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::hook::Hook;

async fn ask(router: &Router, method: &str, path: &str, content_type: &str, body: &Value) -> (u16, Value) {
    let answer = Api::from_router(router.clone()).send(method, path, content_type, body.to_string()).await;
    (answer.status, answer.body)
}

/// Converts between `v1`, which has `spec.host` and `spec.port`, and `v2`, which has `spec.address`. The conversion
/// fails for an object named `lost`.
fn convert(request: &Value) -> Value {
    let to = request["desiredAPIVersion"].as_str().unwrap();
    let convert = |object: &Value| {
        let mut object = object.clone();
        object["apiVersion"] = json!(to);
        let spec = object["spec"].take();
        object["spec"] = match spec["address"].as_str() {
            Some(address) => {
                let (host, port) = address.split_once(':').unwrap();
                json!({"host": host, "port": port})
            }
            None => {
                let text = |field: &str| spec[field].as_str().unwrap().to_owned();
                json!({"address": format!("{}:{}", text("host"), text("port"))})
            }
        };
        object
    };
    let objects: Vec<Value> = request["objects"].as_array().unwrap().iter().map(convert).collect();
    if objects.iter().any(|object| object["metadata"]["name"] == "lost") {
        return json!({"result": {"status": "Failure", "message": "it is lost"}});
    }
    json!({"result": {"status": "Success"}, "convertedObjects": objects})
}

const V1: &str = "/apis/example.com/v1/namespaces/default/places";
const V2: &str = "/apis/example.com/v2/namespaces/default/places";

/// Starts a cluster with a definition that is served as `v1` and `v2` and stored as `v2`.
async fn cluster(hook: &Hook) -> Cluster {
    let cluster = Cluster::builder().bare().start();
    let version = |name: &str, fields: &[&str]| {
        let fields: serde_json::Map<String, Value> =
            fields.iter().map(|field| ((*field).to_owned(), json!({"type": "string"}))).collect();
        let required: Vec<&String> = fields.keys().collect();
        let spec = json!({"type": "object", "required": required, "properties": fields.clone()});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        json!({"name": name, "served": true, "storage": name == "v2", "schema": schema})
    };
    let crd = json!({"metadata": {"name": "places.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced",
        "names": {"plural": "places", "singular": "place", "kind": "Place", "listKind": "PlaceList"},
        "versions": [version("v1", &["host", "port"]), version("v2", &["address"])],
        "conversion": {"strategy": "Webhook", "webhook": {
            "conversionReviewVersions": ["v1"], "clientConfig": hook.client_config(),
        }},
    }});
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let (code, made) = ask(&cluster.router(), "POST", path, "application/json", &crd).await;
    assert_eq!(code, 201, "{made}");
    cluster
}

fn place(name: &str) -> Value {
    json!({
        "kind": "Place", "apiVersion": "example.com/v1", "metadata": {"name": name}, "spec": {"host": "a", "port": "1"},
    })
}

#[tokio::test]
async fn an_object_can_be_written_and_read_in_each_version() {
    let hook = Hook::start(convert);
    let cluster = cluster(&hook).await;
    let router = cluster.router();
    let (code, made) = ask(&router, "POST", V1, "application/json", &place("p")).await;
    assert_eq!((code, &made["spec"]), (201, &json!({"host": "a", "port": "1"})), "{made}");
    assert_eq!(made["apiVersion"], "example.com/v1");

    let (_, stored) = ask(&router, "GET", &format!("{V2}/p"), "", &Value::Null).await;
    assert_eq!((&stored["spec"], &stored["apiVersion"]), (&json!({"address": "a:1"}), &json!("example.com/v2")));
    let patch = json!({"spec": {"port": "2"}});
    let (code, patched) = ask(&router, "PATCH", &format!("{V1}/p"), "application/merge-patch+json", &patch).await;
    assert_eq!((code, &patched["spec"]), (200, &json!({"host": "a", "port": "2"})), "{patched}");
    let (_, list) = ask(&router, "GET", V2, "", &Value::Null).await;
    assert_eq!(list["items"][0]["spec"]["address"], "a:2");
    let (_, list) = ask(&router, "GET", V1, "", &Value::Null).await;
    assert_eq!((&list["items"][0]["spec"]["port"], &list["apiVersion"]), (&json!("2"), &json!("example.com/v1")));

    let mut replaced = patched.clone();
    replaced["spec"]["host"] = json!("b");
    let (code, replaced) = ask(&router, "PUT", &format!("{V1}/p"), "application/json", &replaced).await;
    assert_eq!((code, &replaced["spec"]["host"]), (200, &json!("b")), "{replaced}");
    let (code, again) = ask(&router, "PUT", &format!("{V1}/p"), "application/json", &replaced).await;
    assert_eq!((code, &again), (200, &replaced), "an unchanged object is not written");
    let (code, _) = ask(&router, "DELETE", &format!("{V1}/p"), "application/json", &json!({})).await;
    assert_eq!(code, 200);
    cluster.shutdown().await;
}

#[tokio::test]
async fn an_object_is_validated_by_the_schema_of_the_requested_version() {
    let hook = Hook::start(convert);
    let cluster = cluster(&hook).await;
    let mut wrong = place("p");
    wrong["spec"]["port"] = Value::Null;
    let (code, refused) = ask(&cluster.router(), "POST", V1, "application/json", &wrong).await;
    assert_eq!((code, &refused["details"]["causes"][0]["field"]), (422, &json!("spec.port")), "{refused}");
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_failed_conversion_is_reported_in_upstreams_words() {
    let hook = Hook::start(convert);
    let cluster = cluster(&hook).await;
    let (code, refused) = ask(&cluster.router(), "POST", V1, "application/json", &place("lost")).await;
    let why = "conversion webhook for example.com/v1, Kind=Place failed: it is lost";
    assert_eq!((code, &refused["message"]), (500, &json!(why)));
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_watch_gets_objects_in_the_requested_version() {
    let hook = Hook::start(convert);
    let cluster = cluster(&hook).await;
    let router = cluster.router();
    let watch = Request::get(format!("{V1}?watch=true")).body(Body::empty()).unwrap();
    let mut events = Api::from_router(router.clone()).raw(watch).await.into_body();
    let (code, _) = ask(&router, "POST", V1, "application/json", &place("p")).await;
    assert_eq!(code, 201);
    let frame = tokio::time::timeout(Duration::from_secs(60), events.frame()).await.unwrap().unwrap().unwrap();
    let event: Value = serde_json::from_slice(&frame.into_data().unwrap()).unwrap();
    assert_eq!((&event["type"], &event["object"]["spec"]["host"]), (&json!("ADDED"), &json!("a")));
    assert_eq!(event["object"]["apiVersion"], "example.com/v1");
    cluster.shutdown().await;
}
