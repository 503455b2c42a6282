//! Tests the health checks and the headers of priority and fairness, which clients ask for at a health check.

use axum::body::Body;
use http::Request;
use serde_json::json;

use crate::support::api::{Api, quiet};

/// The headers by which Flux and cli-utils find that they need not limit their own rate.
const CLASSIFIED: [&str; 2] = ["x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];

#[tokio::test(start_paused = true)]
async fn each_check_has_a_path_of_its_own_and_can_be_excluded() {
    let api = Api::new(&quiet().start());
    for (path, text) in [
        ("/livez/ping", "ok"),
        ("/livez/etcd", "ok"),
        ("/healthz/poststarthook/rbac/bootstrap-roles", "ok"),
        ("/readyz/shutdown", "ok"),
        ("/livez?exclude=nosuch", "ok"),
        ("/livez/shutdown", "404 page not found\n"),
        ("/livez/", "404 page not found\n"),
        ("/readyz/nosuch", "404 page not found\n"),
    ] {
        let answer = api.get(path).await;
        assert_eq!((answer.status, answer.body), (if text == "ok" { 200 } else { 404 }, json!(text)), "{path}");
    }
    let answer = api.get("/readyz?verbose&exclude=etcd&exclude=x&exclude=a").await;
    let text = answer.body.as_str().unwrap();
    assert!(text.starts_with("[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n"), "{text}");
    let end = "warn: some health checks cannot be excluded: no matches for \"a\",\"x\"\nreadyz check passed\n";
    assert!(text.ends_with(end), "{text}");
}

#[tokio::test(start_paused = true)]
async fn answers_name_their_flow_schema_and_priority_level() {
    let api = Api::new(&quiet().start());
    let headers = async |method: &str, path: &str| {
        let answer = api.raw(Request::builder().method(method).uri(path).body(Body::empty()).unwrap()).await;
        CLASSIFIED.map(|name| answer.headers().get(name).is_some_and(|uid| uid.len() == 36))
    };
    for (method, path) in [
        ("HEAD", "/livez/ping"),
        ("GET", "/livez/ping"),
        ("GET", "/api/v1/pods"),
        ("GET", "/api/v1/pods?watch=1&timeoutSeconds=1"),
        ("GET", "/api/v1/watch/pods?timeoutSeconds=1"),
        ("GET", "/nosuch"),
        ("POST", "/api/v1/namespaces/default/pods"),
        ("GET", "/api/v1/namespaces/default/pods/log"),
    ] {
        assert_eq!(headers(method, path).await, [true; 2], "{method} {path}");
    }
    // Long-running requests other than watches are not classified.
    for path in ["/api/v1/namespaces/default/pods/a/log", "/api/v1/namespaces/default/pods/a/exec"] {
        assert_eq!(headers("GET", path).await, [false; 2], "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_names_its_flow_schema_only_if_its_user_is_known() {
    let api = Api::new(&quiet().authorization(kube_testcluster::Authorization::Rbac).start());
    let classified = async |name: &str, value: &str| {
        let request = Request::get("/api/v1/secrets").header(name, value).body(Body::empty()).unwrap();
        let answer = api.raw(request).await;
        (answer.status().as_u16(), CLASSIFIED.map(|name| answer.headers().contains_key(name)))
    };
    assert_eq!(classified("impersonate-user", "ada").await, (403, [true; 2]));
    assert_eq!(classified("authorization", "Bearer wrong").await, (401, [false; 2]));
}
