//! Tests the server's limits on watches, waiting answers, patches, selectors, body sizes and request times.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use kube_testcluster::Controllers;
use serde_json::json;

use crate::support::api::{Api, PODS, quiet};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test(start_paused = true)]
async fn a_watch_beyond_the_limit_gets_429_with_retry_after() {
    let api = Api::new(&quiet().max_watches(2).start());
    let (first, _second) = (api.watch("").await, api.watch_at("/api/v1/configmaps?watch=1").await);
    let answer = api.get(&format!("{PODS}?watch=true")).await;
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 429,
        "message": "too many watches are open: the limit is 2, please try again later.",
        "reason": "TooManyRequests", "details": {"retryAfterSeconds": 1},
    });
    assert_eq!((answer.status, answer.body), (429, status));
    assert_eq!(answer.headers["retry-after"], "1");
    assert_eq!(api.get(PODS).await.status, 200, "lists are not watches");
    drop(first);
    api.watch("").await;
}

/// Creates one config map of 100 KiB.
async fn with_a_large_object(cluster: &kube_testcluster::Cluster) -> Api {
    let api = Api::new(cluster);
    let object = json!({"metadata": {"name": "large"}, "data": {"a": "x".repeat(100 * 1024)}});
    assert_eq!(api.post(CONFIG_MAPS, &object).await.status, 201);
    api
}

#[tokio::test(start_paused = true)]
async fn lists_get_429_while_too_many_answers_wait_to_be_read() {
    let api = with_a_large_object(&quiet().max_waiting_answers(250 * 1024).start()).await;
    let list = async || api.raw(Request::get(CONFIG_MAPS).body(Body::empty()).unwrap()).await;
    let (first, _second) = (list().await, list().await);
    let third = list().await;
    assert_eq!((first.status().as_u16(), third.status().as_u16()), (200, 429));
    assert_eq!(third.headers()["retry-after"], "1");
    let text = third.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(text, "Too many requests, please try again later.\n", "the text is upstream's");
    assert_eq!(api.get(PODS).await.status, 200, "small answers do not count");
    let read = first.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(list().await.status(), 429, "bytes that the reader still holds count");
    drop(read);
    assert_eq!(list().await.status(), 200);
}

/// A client would repeat a finished write whose answer was refused.
#[tokio::test(start_paused = true)]
async fn a_write_without_room_for_its_answer_is_refused_before_it_is_done() {
    let api = with_a_large_object(&quiet().max_waiting_answers(250 * 1024).start()).await;
    let list = async || api.raw(Request::get(CONFIG_MAPS).body(Body::empty()).unwrap()).await;
    let (first, _second) = (list().await, list().await);
    let version = api.get(PODS).await.version();
    let (item, text) = (format!("{CONFIG_MAPS}/large"), "x".repeat(100 * 1024));
    let object = json!({"metadata": {"name": "other"}, "data": {"a": text}});
    assert_eq!(api.post(CONFIG_MAPS, &object).await.status, 429);
    assert_eq!(api.merge(&item, &json!({"data": {"b": "y"}})).await.status, 429);
    assert_eq!(api.delete(&item).await.status, 429);
    assert_eq!(api.delete(CONFIG_MAPS).await.status, 429);
    assert_eq!(api.get(PODS).await.version(), version, "nothing was written");
    let small = json!({"metadata": {"name": "small"}});
    assert_eq!(api.post(CONFIG_MAPS, &small).await.status, 201, "small answers do not count");
    drop(first);
    assert_eq!(api.post(CONFIG_MAPS, &object).await.status, 201);
    assert_eq!(api.merge(&item, &json!({"data": {"b": "y"}})).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_large_event_waits_for_room() {
    let api = with_a_large_object(&quiet().max_waiting_answers(150 * 1024).start()).await;
    let list = api.raw(Request::get(CONFIG_MAPS).body(Body::empty()).unwrap()).await;
    let mut watch = api.watch_at(&format!("{CONFIG_MAPS}?watch=1&resourceVersion=0")).await;
    assert_eq!(watch.short_events().await, [""; 0]);
    drop(list);
    assert_eq!(watch.short_events().await, ["ADDED large"]);
}

#[tokio::test(start_paused = true)]
async fn compressed_lists_count_as_waiting_until_they_are_read() {
    let cluster = quiet().max_waiting_answers(250 * 1024).start();
    let api = with_a_large_object(&cluster).await;
    api.merge(&format!("{CONFIG_MAPS}/large"), &json!({"data": {"b": "y".repeat(100 * 1024)}})).await;
    let list = async || {
        let request = Request::get(CONFIG_MAPS).header("accept-encoding", "gzip").body(Body::empty()).unwrap();
        api.raw(request).await
    };
    let first = list().await;
    assert_eq!(first.headers()["content-encoding"], "gzip");
    assert_eq!(list().await.status(), 429);
    first.into_body().collect().await.unwrap();
    assert_eq!(list().await.status(), 200);
}

#[tokio::test(start_paused = true)]
async fn an_answer_larger_than_the_limit_is_sent_if_no_other_waits() {
    let api = with_a_large_object(&quiet().max_waiting_answers(0).start()).await;
    assert_eq!(api.get(CONFIG_MAPS).await.status, 200);
    assert_eq!(api.get(CONFIG_MAPS).await.status, 200);
}

/// Upstream: `FinishRequest`, with `requestTimeoutUpperBound`.
#[tokio::test(start_paused = true)]
async fn a_write_fails_after_its_timeout() {
    let cluster = quiet().commit_latency(std::time::Duration::from_secs(100)).controllers(Controllers::None).start();
    let api = Api::new(&cluster);
    let object = json!({"metadata": {"name": "late"}});
    for (query, seconds) in
        [("", 34), ("?timeout=0", 34), ("?timeout=-1s", 34), ("?timeout=2m", 34), ("?timeout=5s", 5)]
    {
        let begun = tokio::time::Instant::now();
        let answer = api.post(&format!("{CONFIG_MAPS}{query}"), &object).await;
        let why = "Timeout: request did not complete within requested timeout - context deadline exceeded";
        assert_eq!((answer.status, answer.message()), (504, why), "{query}");
        assert_eq!(begun.elapsed().as_secs(), seconds, "{query}");
    }
    assert_eq!(api.get(&format!("{CONFIG_MAPS}/late")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn json_patch_copies_of_copies_are_limited() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({})).await;
    let copy = |n: usize| json!({"op": "copy", "from": "/metadata", "path": format!("/metadata/a{n}")});
    let add = |n: usize| json!({"op": "add", "path": format!("/metadata{}", "/a".repeat(n)), "value": {}});
    let doubling: Vec<_> = (0..40).map(copy).collect();
    let deepening: Vec<_> = (1..1000).map(add).collect();
    for operations in [doubling, deepening] {
        let body = json!(operations).to_string();
        let answer = api.send("PATCH", &format!("{PODS}/alpha"), "application/json-patch+json", body).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
    }
    assert_eq!(api.get(&format!("{PODS}/alpha")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_the_largest_resource_version_works() {
    let api = Api::new(&quiet().bookmark_period(std::time::Duration::MAX).start());
    for kind in ["events", "pods"] {
        let path = format!("/api/v1/{kind}?watch=1&allowWatchBookmarks=true&resourceVersion={}", u64::MAX);
        assert_eq!(api.get(&format!("{path}&timeoutSeconds=5")).await.status, 200);
    }
    assert_eq!(api.get(PODS).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_watch_buffer_has_the_configured_size() {
    let api = Api::new(&quiet().watch_buffer(3).start());
    let mut slow = api.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan").await;
    for name in ["a", "b", "c", "d"] {
        api.pod(name, &json!({})).await;
    }
    assert_eq!(slow.short_events().await, ["ADDED a", "ADDED b", "ADDED c"]);
    assert!(slow.ended);
}

#[tokio::test(start_paused = true)]
async fn long_selectors_and_paths_are_parsed_quickly() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({"k1": "v1"})).await;
    let list = |parameter: &str, text: &str| format!("{PODS}?{parameter}={text}");
    let each = (0..4000).map(|i| format!("k{i}!=w")).collect::<Vec<_>>().join(",");
    let any = (0..8000).map(|i| format!("v{i}")).collect::<Vec<_>>().join(",");
    let fields = ["metadata.name=alpha"; 3000].join(",");
    for (path, code) in [
        (list("labelSelector", &each), 200),
        (list("labelSelector", &format!("k1+in+({any})")), 200),
        (list("labelSelector", &"x".repeat(60_000)), 400),
        (list("labelSelector", &"(".repeat(60_000)), 400),
        (list("labelSelector", &",".repeat(60_000)), 400),
        (list("fieldSelector", &fields), 200),
        (list("fieldSelector", &"=".repeat(60_000)), 400),
        (list("continue", &"A".repeat(60_000)), 400),
        (format!("{PODS}/{}", "x".repeat(60_000)), 404),
        (format!("/{}", "a/".repeat(30_000)), 404),
    ] {
        let answer = api.get(&path).await;
        let beginning: String = path.chars().take(80).collect();
        assert_eq!(answer.status, code, "{beginning}");
        if code == 200 {
            assert_eq!(answer.names(), ["alpha"], "{beginning}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn paths_and_parameters_are_parsed_as_in_go() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({})).await;
    for path in [
        "/%61pi/v1/%70ods//",
        "/api/v1/namespaces//pods",
        "/api/v1/namespaces/default/pods%2F",
        &format!("{PODS}?%zz=1&limit=%zz"),
        &format!("{PODS}?limit=0;1"),
        &format!("{PODS}?&&=&a=b"),
    ] {
        assert_eq!(api.get(path).await.names(), ["alpha"], "{path}");
    }
    for (path, message) in [
        ("/.", "Name parameter invalid: \".\": may not be '.'"),
        ("/%2e%2e", "Name parameter invalid: \"..\": may not be '..'"),
        ("/a%25", "Name parameter invalid: \"a%\": may not contain '%'"),
        ("?limit=", "strconv.ParseInt: parsing \"\": invalid syntax"),
        ("?limit=99999999999999999999", "strconv.ParseInt: parsing \"99999999999999999999\": value out of range"),
        (
            "?resourceVersion=18446744073709551616",
            "invalid resource version: resourceVersion: Invalid value: \"18446744073709551616\": strconv.ParseUint: \
             parsing \"18446744073709551616\": value out of range",
        ),
    ] {
        let answer = api.get(&format!("{PODS}{path}")).await;
        assert_eq!((answer.status, answer.message()), (400, message), "{path}");
    }
    let broken = api.get(&format!("{PODS}/%zz")).await;
    assert_eq!((broken.status, broken.body), (400, json!("400 Bad Request")));
    for (path, name) in [("a%20b", "a b"), ("%ff", "\u{fffd}"), ("a;b", "a;b")] {
        let answer = api.get(&format!("{PODS}/{path}")).await;
        assert_eq!((answer.status, &answer.body["details"]["name"]), (404, &json!(name)), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn malformed_or_too_large_patches_and_delete_options_are_refused() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({})).await;
    let item = format!("{PODS}/alpha");
    let test = json!({"op": "test", "path": "/metadata/name", "value": "alpha"});
    let many = json!(vec![test; 10_001]).to_string();
    let message = "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001";
    for (patch, code, message) in [
        (many.as_str(), 413, message),
        ("", 400, "invalid JSON patch"),
        ("[7]", 400, "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
    ] {
        let answer = api.send("PATCH", &item, "application/json-patch+json", patch.to_owned()).await;
        assert_eq!((answer.status, answer.message()), (code, message));
    }
    for (content_type, patch) in [
        ("application/json-patch+json", "null"),
        ("application/strategic-merge-patch+json", "null"),
        ("application/json-patch+json", "[{\"op\": \"add\", \"path\": \"/metadata/labels\"}]"),
    ] {
        assert_eq!(api.send("PATCH", &item, content_type, patch).await.status, 200, "{patch}");
    }
    let start = "couldn't get version/kind; json parse error: ";
    for (options, message) in [
        ("[\"DeleteOptions\"]", "json: cannot unmarshal array into Go value of type struct"),
        ("7", "json: cannot unmarshal number into Go value of type struct"),
        ("{", "unexpected end of JSON input"),
    ] {
        let answer = api.send("DELETE", &item, "application/json", options).await;
        assert_eq!(answer.status, 400);
        assert!(answer.message().starts_with(&format!("{start}{message}")), "{}", answer.message());
    }
    assert_eq!(api.send("DELETE", &item, "application/json", "null").await.status, 200);
}

/// Upstream: `saveStrictError` in `sigs.k8s.io/json`.
#[tokio::test(start_paused = true)]
async fn at_most_a_hundred_errors_of_a_patch_are_reported() {
    let api = Api::new(&quiet().start());
    api.pod("alpha", &json!({})).await;
    let odd = (0..200).map(|n| format!("\"x{n}\":0")).collect::<Vec<_>>().join(",");
    let patch = format!(r#"[{{"op":"test","path":"/metadata/name","value":"alpha",{odd},"x0":1}}]"#);
    let path = format!("{PODS}/alpha?fieldValidation=Strict");
    let answer = api.send("PATCH", &path, "application/json-patch+json", patch).await;
    assert_eq!(answer.message().matches("json patch unknown field").count(), 100, "{}", answer.message());
    assert_eq!(answer.message().matches("duplicate field").count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_ends_early_is_a_bad_request() {
    let api = Api::new(&quiet().start());
    let broken = futures::stream::iter([Ok("{"), Err(std::io::Error::other("gone"))]);
    let request = http::Request::post(PODS).body(axum::body::Body::from_stream(broken)).unwrap();
    let response = api.raw(request).await;
    assert_eq!(response.status(), 400);
    let body = response.into_body().collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&body).contains("\"reason\":\"BadRequest\""));
}

/// The test's observer of writes runs in the middle of a write, so its panic stands for a mistake of the server.
#[tokio::test(start_paused = true)]
async fn a_panic_fails_one_request_and_makes_readyz_fail() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    cluster.observe_writes(|write| assert!(write.key != "unlucky", "a mistake of the observer"));
    let healthy = api.get("/readyz").await;
    assert_eq!((healthy.status, healthy.body), (200, json!("ok")));
    let answer = api.post("/api/v1/namespaces", &json!({"metadata": {"name": "unlucky"}})).await;
    let text = json!("This request caused apiserver to panic. Look in the logs for details.\n");
    assert_eq!((answer.status, answer.body), (500, text));
    for path in ["/api/v1/namespaces/unlucky", "/api/v1/namespaces", PODS] {
        assert_eq!(api.get(path).await.status, 200, "{path}");
    }
    api.pod("a", &json!({})).await;
    for (path, name) in [("/readyz", "readyz"), ("/livez", "livez"), ("/healthz", "healthz")] {
        let answer = api.get(path).await;
        let text = answer.body.as_str().unwrap();
        assert_eq!(answer.status, 500);
        assert!(
            text.contains("\n[-]etcd failed: reason withheld\n") && text.starts_with("[+]ping ok\n[+]log ok\n"),
            "{text}"
        );
        assert!(text.ends_with(&format!("\n{name} check failed\n")), "{text}");
        assert_eq!(api.get(&format!("{path}/etcd")).await.status, 500);
        assert_eq!(api.get(&format!("{path}/ping")).await.body, json!("ok"));
    }
}

/// Each further controller is a cause with the whole list of owners in it. Without a limit, 2,000 owners would make an
/// answer of 360 MB.
#[tokio::test(start_paused = true)]
async fn the_error_for_many_controllers_has_a_limited_size() {
    let api = Api::new(&quiet().start());
    let map = |count: usize| {
        let owner = |n: usize| json!({"apiVersion": "v1", "kind": "Pod", "name": format!("p{n}"), "uid": "u", "controller": true});
        json!({"metadata": {"name": "m", "ownerReferences": (0..count).map(owner).collect::<Vec<_>>()}})
    };
    let path = "/api/v1/namespaces/default/configmaps";
    let few = api.post(path, &map(4)).await;
    assert_eq!(
        (few.status, few.body["details"]["causes"].as_array().unwrap().len()),
        (422, 3),
        "one cause for each further controller, as upstream"
    );
    let many = api.post(path, &map(2000)).await;
    let bytes = many.body.to_string().len();
    assert_eq!(many.status, 422);
    assert!(bytes < 8 * 1024 * 1024, "the answer has {bytes} bytes");
}

/// Upstream lists every error, so its answer is fifty times as long as the request.
#[tokio::test(start_paused = true)]
async fn the_errors_of_a_service_with_many_ports_end() {
    let api = Api::new(&quiet().start());
    let ports = vec![json!({}); 20_000];
    let answer = api
        .post("/api/v1/namespaces/default/services", &json!({"metadata": {"name": "s"}, "spec": {"ports": ports}}))
        .await;
    let causes = answer.body["details"]["causes"].as_array().unwrap();
    let more = causes.last().unwrap()["message"].as_str().unwrap();
    let more = more.strip_prefix("and ").and_then(|more| more.strip_suffix(" more")).unwrap().parse::<usize>().unwrap();
    assert_eq!(answer.status, 422);
    assert_eq!(causes.len() - 1 + more, 4 * 20_000 - 1, "no name, no numbers, and all but the first are duplicates");
    assert!(answer.message().ends_with(&format!(", and {more} more]")), "the message ends as the causes do");
    let bytes = answer.body.to_string().len();
    assert!(bytes < 1024 * 1024, "the answer has {bytes} bytes");
}

/// The bodies have one or two megabytes. A search that compares each name with all others would need minutes for each.
#[tokio::test(start_paused = true)]
async fn long_bodies_are_read_quickly() {
    let api = Api::new(&quiet().start());
    let maps = "/api/v1/namespaces/default/configmaps";
    let list = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let finalizers = |host: &str| list(50_000, &|n| format!("\"{host}/f{n}\""));
    let owners = list(20_000, &|n| format!(r#"{{"apiVersion":"v1","kind":"Pod","name":"p{n}","uid":"u{n}"}}"#));
    let fields = list(100_000, &|n| format!("\"k{n}\":\"\""));
    let (before, after) = (finalizers("before.io"), finalizers("after.io"));
    let (json, patch) = ("application/json", "application/merge-patch+json");
    let create = |rest: &str| format!(r#"{{"metadata":{{"name":"m"{rest}}}}}"#);
    let item = format!("{maps}/m");
    for (method, path, content_type, body, code) in [
        ("POST", maps, json, create(&format!(r#","finalizers":[{before}]"#)), 201),
        ("DELETE", &item, json, String::new(), 200),
        ("PATCH", &item, patch, format!(r#"{{"metadata":{{"finalizers":[{after}]}}}}"#), 422),
        ("PATCH", &item, patch, r#"{"metadata":{"finalizers":null}}"#.to_owned(), 200),
        ("POST", maps, json, create(&format!(r#","ownerReferences":[{owners}]"#)), 201),
        ("PATCH", &item, patch, format!(r#"{{"data":{{{fields}}}}}"#), 200),
        ("PATCH", &item, patch, format!(r#"{{"data":{{{}}}}}"#, list(100_000, &|n| format!("\"k{}\":0", n / 2))), 422),
        (
            "POST",
            maps,
            json,
            format!(r#"{{"metadata":{{"name":"n"}},{}}}"#, list(100_000, &|n| format!("\"k{}\":0", n / 2))),
            201,
        ),
        ("POST", maps, json, format!(r#"{{"metadata":{{"name":"n2"}},"data":{{{fields}}},"data":{{"k":"v"}}}}"#), 201),
    ] {
        let beginning: String = body.chars().take(60).collect();
        let answer = api.send(method, path, content_type, body).await;
        assert_eq!(answer.status, code, "{method} {path} {beginning}: {:.200}", answer.body.to_string());
    }
}

/// Like `long_bodies_are_read_quickly`, with the lists of a pod.
#[tokio::test(start_paused = true)]
async fn long_lists_of_a_pod_are_validated_quickly() {
    const MANY: usize = 10_000;
    let api = Api::new(&quiet().start());
    let list = |item: &dyn Fn(usize) -> serde_json::Value| (0..MANY).map(item).collect::<Vec<_>>();
    let container = |with: serde_json::Value| {
        let mut container = json!({"name": "c", "image": "i"});
        container.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        json!([container])
    };
    let volumes = list(&|n| json!({"name": format!("v{n}"), "emptyDir": {}}));
    let notes: serde_json::Map<_, _> = (0..3_000)
        .map(|n| (format!("container.apparmor.security.beta.kubernetes.io/c{n}"), json!("unconfined")))
        .collect();
    for (what, metadata, spec, code) in [
        (
            "claims that the pod does not have",
            json!({}),
            json!({
                "resourceClaims": list(&|n| json!({"name": format!("a{n}"), "resourceClaimName": "r"})),
                "containers": container(json!({"resources": {"claims": list(&|n| json!({"name": format!("z{n}")}))}})),
            }),
            422,
        ),
        (
            "claims",
            json!({}),
            json!({
                "resourceClaims": list(&|n| json!({"name": format!("a{n}"), "resourceClaimName": "r"})),
                "containers": container(json!({"resources": {"claims": list(&|n| json!({"name": format!("a{n}"), "request": "r"}))}})),
            }),
            201,
        ),
        (
            "variables and volumes",
            json!({}),
            json!({
                "volumes": volumes,
                "containers": container(json!({"env": list(&|n| json!({"name": format!("E{n}"), "value": "v"}))})),
            }),
            201,
        ),
        (
            "mounts",
            json!({}),
            json!({
                "volumes": volumes,
                "containers": container(json!({"volumeMounts": list(&|n| json!({"name": format!("v{n}"), "mountPath": format!("/m{n}")}))})),
            }),
            201,
        ),
        (
            "constraints",
            json!({}),
            json!({
                "containers": container(json!({})),
                "topologySpreadConstraints": list(&|n| json!({
                    "topologyKey": format!("k{n}"), "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1
                })),
            }),
            201,
        ),
        (
            "profiles of containers",
            json!({"annotations": notes}),
            json!({"containers": (0..3_000).map(|n| json!({"name": format!("c{n}"), "image": "i"})).collect::<Vec<_>>()}),
            201,
        ),
    ] {
        let mut pod = json!({"metadata": {"name": what.replace(' ', "-")}, "spec": spec});
        pod["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        let answer = api.post(PODS, &pod).await;
        let bytes = answer.body.to_string();
        assert_eq!(answer.status, code, "{what}: {bytes:.300}");
        assert!(bytes.len() < 8 * 1024 * 1024, "{what}: the answer has {} bytes", bytes.len());
    }
}
