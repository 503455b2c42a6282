//! Tests that bad requests get Kubernetes' errors and never a panic, and that discovery lists the served groups and
//! kinds.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, quiet};

#[tokio::test(start_paused = true)]
async fn unknown_paths_and_methods_are_answered_as_upstream_answers_them() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({})).await;
    for path in [
        "/nosuch",
        "/apis/nosuch/v1/things",
        "/apis/example.com/v1/namespaces/default/jobs",
        "/apis/nosuch",
        "/apis/%ff",
    ] {
        let answer = api.get(path).await;
        assert_eq!((answer.status, answer.body), (404, json!("404 page not found\n")), "{path}");
        assert_eq!(answer.headers["content-type"], "text/plain; charset=utf-8");
    }
    let not_found = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "details": {}, "code": 404,
        "message": "the server could not find the requested resource", "reason": "NotFound",
    });
    for path in [
        "/api/v1/nosuch",
        "/api/v9",
        "/api/%ff",
        "/api/v1/namespaces/default/nosuch",
        "/api/v1//pods",
        "/api/v1/namespaces/default/../pods",
        "/api/v1/pods/alpha",
        "/api/v1/namespaces/default/pods/alpha/nosuch",
    ] {
        let answer = api.get(path).await;
        assert_eq!((answer.status, &answer.body), (404, &not_found), "{path}");
        assert_eq!(answer.headers["cache-control"], "no-cache, private");
    }
    let item = format!("{PODS}/alpha");
    for (method, path) in [
        ("POST", item.as_str()),
        ("PUT", PODS),
        ("PATCH", PODS),
        ("FROB", PODS),
        ("OPTIONS", PODS),
        ("HEAD", &item),
        ("POST", "/api/v1/pods"),
        ("DELETE", "/api/v1/pods"),
        ("POST", "/version"),
    ] {
        let answer = api.send(method, path, "application/json", "{}").await;
        assert_eq!(answer.status, 405, "{method} {path}");
        if method != "HEAD" {
            assert_eq!(answer.body["reason"], "MethodNotAllowed", "{method} {path}");
        }
    }
    let answer = api.get("/openapi/v3/apis/%ff").await;
    assert_eq!((answer.status, answer.body), (404, json!("")));
    assert_eq!(api.get(&format!("{PODS}/?bogus=1")).await.names(), ["alpha"]);
}

#[tokio::test(start_paused = true)]
async fn malformed_and_oversized_bodies_are_refused() {
    let api = Api::new(&quiet().start());
    let large = format!("{{\"metadata\": {{\"annotations\": {{\"a\": \"{}\"}}}}}}", "x".repeat(3 << 20));
    let start =
        "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: ";
    for (content_type, body, code, message) in [
        (
            "application/json",
            "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", ".to_owned(),
            400,
            format!("{start}unexpected end of JSON input ({{\"apiVersion\": \"v1\", \"kind\": \" ...)"),
        ),
        ("application/json", String::new(), 400, format!("{start}unexpected end of JSON input (<empty>)")),
        ("application/json", "\u{0}\u{1}".into(), 400, start.into()),
        ("application/json", "[".repeat(100_000), 400, start.into()),
        ("application/json", large, 413, "Request entity too large: limit is 3145728".into()),
        (
            "text/plain",
            "x".into(),
            415,
            "the body of the request was in an unknown format - accepted media types include: application/json".into(),
        ),
    ] {
        let answer = api.send("POST", PODS, content_type, body).await;
        assert_eq!(answer.status, code);
        assert!(answer.message().starts_with(&message), "{}", answer.message());
        assert_eq!(answer.body["kind"], "Status");
    }
}

#[tokio::test(start_paused = true)]
async fn no_request_makes_the_server_panic() {
    let api = Api::new(&quiet().start());
    api.pod("a", &json!({})).await;
    let mut rng = fastrand::Rng::with_seed(1);
    let paths = [
        "/api/v1/namespaces/default/pods",
        "/api/v1/namespaces/default/pods/a",
        "/api/v1/namespaces/default/pods/a/status",
        "/api/v1/namespaces/default/pods/a/binding",
        "/api/v1/namespaces",
        "/api/v1/%2e%2e/pods",
        "/api/v1/namespaces/default/pods/%00",
        "/apis//v1/x",
        "/api/v1/watch",
        "/apis",
    ];
    let names = [
        "watch",
        "limit",
        "continue",
        "resourceVersion",
        "resourceVersionMatch",
        "labelSelector",
        "fieldSelector",
        "timeoutSeconds",
        "gracePeriodSeconds",
        "dryRun",
        "sendInitialEvents",
        "allowWatchBookmarks",
    ];
    let values = [
        "",
        "0",
        "1",
        "-1",
        "true",
        "18446744073709551615",
        "99999999999999999999",
        "a,b",
        "((",
        "a=b\\",
        "!",
        "Exact",
        "NotOlderThan",
        "%F0%9F%A6%80",
        "%FF",
        "bWV0YQ",
        "a%20in%20(",
    ];
    let bodies: [Value; 10] = [
        json!({}),
        json!([]),
        json!(null),
        json!("x"),
        json!(1),
        json!({"metadata": null}),
        json!({"metadata": []}),
        json!({"metadata": {"name": 1}}),
        json!({"status": [], "spec": null, "metadata": {"name": "b", "labels": []}}),
        json!([{"op": "remove", "path": "/metadata"}]),
    ];
    // The last one stands for no content type.
    let types = ["application/json", "application/merge-patch+json", "application/json-patch+json", "\u{1}"];
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let long = "a".repeat(100_000);
    for i in 0..3000 {
        let mut path = format!("{}?", rng.choice(paths).unwrap());
        for _ in 0..rng.u32(..4) {
            path.push_str(&format!("{}={}&", rng.choice(names).unwrap(), rng.choice(values).unwrap()));
        }
        if i % 100 == 0 {
            path.push_str(&format!("labelSelector={long}"));
        }
        let content_type = rng.choice(types).unwrap();
        let mut request = Request::builder().method(*rng.choice(methods.iter()).unwrap()).uri(&path);
        if content_type != "\u{1}" {
            request = request.header("content-type", content_type);
        }
        let Ok(request) = request.body(Body::from(rng.choice(bodies.iter()).unwrap().to_string())) else { continue };
        let response = api.raw(request).await;
        if !path.contains("watch") {
            response.into_body().collect().await.unwrap();
        }
    }
    assert_eq!(api.get("/readyz").await.body, json!("ok"));
}

#[tokio::test(start_paused = true)]
async fn discovery_lists_the_served_groups_and_kinds() {
    let cluster = quiet().start();
    let client = cluster.client("default");
    assert_eq!(client.list_core_api_versions().await.unwrap().versions, ["v1"]);
    let groups = client.list_api_groups().await.unwrap().groups;
    let names: Vec<_> = groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "apiregistration.k8s.io",
            "apps",
            "events.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "networking.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "storage.k8s.io",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "scheduling.k8s.io",
            "coordination.k8s.io",
            "node.k8s.io",
            "discovery.k8s.io",
            "resource.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "storagemigration.k8s.io",
        ]
    );
    assert_eq!(client.apiserver_version().await.unwrap().major, "1");
    let resources = client.list_core_api_resources("v1").await.unwrap().resources;
    let names: Vec<_> = resources.iter().map(|resource| resource.name.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for name in ["configmaps", "namespaces", "namespaces/status", "pods", "pods/binding", "pods/status", "services"] {
        assert!(names.contains(&name), "{name}");
    }
    let api = Api::new(&cluster);
    for path in ["/healthz", "/livez", "/readyz"] {
        assert_eq!(api.get(path).await.body, json!("ok"));
    }
}

#[cfg(feature = "serve")]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a user may choose this server")]
async fn the_router_also_works_behind_a_socket() {
    let cluster = quiet().start();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(axum::serve(listener, cluster.router()).into_future());
    let config = kube::Config::new(format!("http://{address}").parse().unwrap());
    let client = kube::Client::try_from(config).unwrap();
    let pods: kube::Api<k8s_openapi::api::core::v1::Pod> = kube::Api::namespaced(client, "default");
    let pod = serde_json::from_value(crate::support::api::pod("a", &json!({}))).unwrap();
    pods.create(&kube::api::PostParams::default(), &pod).await.unwrap();
    assert_eq!(pods.list(&kube::api::ListParams::default()).await.unwrap().items.len(), 1);
    server.abort();
}
