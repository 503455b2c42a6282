//! Tests `exec`, `attach` and `portforward`: every pod has these subresources, but there are no containers to connect
//! to.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

/// Sends an upgrade request as kubectl does: GET for a websocket, POST for SPDY.
async fn upgrade(api: &Api, method: &str, path: &str, protocol: &str) -> (u16, Value) {
    let request =
        Request::builder().method(method).uri(path).header("connection", "Upgrade").header("upgrade", protocol);
    let answer = api.raw(request.body(Body::empty()).unwrap()).await;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_stream_to_a_container_is_refused_with_501() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    api.bind("a").await;
    for (part, purpose) in [
        ("exec?command=ls&stdout=true", "run a command in"),
        ("attach", "attach to"),
        ("portforward", "forward a port to"),
    ] {
        for (method, protocol) in [("GET", "websocket"), ("POST", "SPDY/3.1")] {
            let (status, body) = upgrade(&api, method, &format!("{PODS}/a/{part}"), protocol).await;
            let expected = json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 501,
                "message": format!("the containers of this cluster are not real: there is nothing to {purpose}"),
            });
            assert_eq!((status, body), (501, expected), "{method} {part}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn earlier_errors_are_reported_in_upstreams_words() {
    let api = Api::new(&quiet().start());
    let mut two = pod("two", &json!({}));
    two["spec"]["containers"] = json!([{"name": "x", "image": "i"}, {"name": "y", "image": "i"}]);
    two["spec"]["initContainers"] = json!([{"name": "w", "image": "i"}]);
    assert_eq!(api.post(PODS, &two).await.status, 201);
    api.pod("one", &json!({})).await;
    for (path, status, message) in [
        ("nosuch/exec", 404, "pods \"nosuch\" not found"),
        ("two/exec", 400, "a container name must be specified for pod two, choose one of: [w x y]"),
        ("two/attach?container=z", 400, "container z is not valid for pod two"),
        ("two/attach?container=w", 400, "pod two does not have a host assigned"),
        ("two/portforward", 400, "pod two does not have a host assigned"),
        ("one/exec", 400, "pod one does not have a host assigned"),
    ] {
        let answer = api.post(&format!("{PODS}/{path}"), &Value::Null).await;
        assert_eq!((answer.status, answer.message()), (status, message), "{path}");
    }
    api.bind("one").await;
    let plain = api.get(&format!("{PODS}/one/exec")).await;
    assert_eq!((plain.status, plain.message()), (400, "Upgrade request required"));
    assert_eq!(api.put(&format!("{PODS}/one/exec"), &json!({})).await.status, 405);
}
