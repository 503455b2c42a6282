//! Tests the options and headers of reads. Each case was a difference from a real API server, found by
//! `peers/differential`.

use axum::body::Body;
use http::Request;
use serde_json::json;

use crate::support::api::{Api, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const EVENTS: &str = "/api/v1/namespaces/default/events";

async fn api() -> Api {
    let api = Api::new(&quiet().start());
    let map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    assert_eq!(api.post(MAPS, &map).await.status, 201);
    api
}

/// Upstream: the cacher's delegator treats a limit with a resourceVersion as an exact list, but `ValidateListOptions`
/// does so only for lists without a name.
#[tokio::test(start_paused = true)]
async fn a_list_of_one_name_with_a_limit_shows_the_current_state_at_any_resource_version() {
    let api = api().await;
    let version = api.get(&format!("{MAPS}/a")).await.version();
    assert_eq!(api.delete(&format!("{MAPS}/a")).await.status, 200);
    let page = |selector: &str| format!("{MAPS}?limit=1&resourceVersion={version}{selector}");
    assert_eq!(api.get(&page("")).await.names(), ["a"]);
    assert!(api.get(&page("&fieldSelector=metadata.name%3Da")).await.names().is_empty());
}

/// Upstream: `goautoneg.ParseAccept`, `acceptMediaTypeOptions`.
#[tokio::test(start_paused = true)]
async fn an_accept_header_is_negotiated_clause_by_clause() {
    let api = api().await;
    for (accept, expected) in [
        ("*/*;q=0.1, application/yaml;q=0.01", "application/yaml"),
        ("application/json;q=abc, application/yaml;q=0.9", "application/yaml"),
        ("application/json;stream=watch", "application/json"),
        ("application/json;stream=other", "406"),
        ("application/json;v=v1;g=meta.k8s.io", "406"),
        ("application/yaml;stream=watch, application/json;q=0.1", "application/json"),
        ("application/*", "406"),
    ] {
        let request = Request::get(format!("{MAPS}/a")).header("accept", accept).body(Body::empty()).unwrap();
        let response = api.raw(request).await;
        let media = response.headers()["content-type"].to_str().unwrap().to_owned();
        let found = if response.status() == 200 { media } else { response.status().as_str().to_owned() };
        assert_eq!(found, expected, "{accept}");
    }
}

/// Upstream: `WithRequestDeadline` runs before the handlers; a watch has no deadline.
#[tokio::test(start_paused = true)]
async fn a_malformed_timeout_is_refused_before_anything_else_is_checked() {
    let api = api().await;
    let why = "invalid timeout specified in the request URL - time: missing unit in duration \"5\"";
    let answer = api.get(&format!("{MAPS}/nosuch?timeout=5")).await;
    assert_eq!((answer.status, answer.message()), (400, why));
    assert_eq!(api.put(&format!("{MAPS}/nosuch?timeout=5"), &json!([])).await.message(), why);
    assert_eq!(api.get(&format!("{MAPS}/a?timeout=5s")).await.status, 200);
    let watch = Request::get(format!("{MAPS}?watch=1&timeout=5")).body(Body::empty()).unwrap();
    assert_eq!(api.raw(watch).await.status(), 200);
}

/// Upstream's router sends no `Allow` header.
#[tokio::test(start_paused = true)]
async fn a_405_of_a_discovery_path_has_no_allow_header() {
    let api = api().await;
    for path in ["/api", "/apis/apps/v1", "/api/v1"] {
        let answer = api.delete(path).await;
        assert_eq!((answer.status, answer.headers.get("allow")), (405, None), "{path}");
    }
}

/// kube-aggregator serves these two paths, and does not look at the method.
#[tokio::test(start_paused = true)]
async fn any_method_reads_the_groups() {
    let api = api().await;
    for (path, kind) in [("/apis", "APIGroupList"), ("/apis/apps", "APIGroup"), ("/apis/apps/", "APIGroup")] {
        let answer = api.delete(path).await;
        assert_eq!((answer.status, &answer.body["kind"]), (200, &json!(kind)), "{path}");
    }
}

/// Upstream: `Convert_v1_ListOptions_To_internalversion_ListOptions`, then `SetListOptionsDefaults`, then the
/// validation.
#[tokio::test(start_paused = true)]
async fn list_options_are_parsed_then_defaulted_then_validated() {
    let api = api().await;
    let forbidden = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided";
    for (query, code, message) in [
        ("labelSelector=%2C&resourceVersionMatch=Unset", 400, "found ',', expected: !, identifier, or 'end of string'"),
        ("fieldSelector=a%3Eb&resourceVersionMatch=Unset", 400, "invalid selector: 'a>b'; can't understand 'a>b'"),
        ("fieldSelector=nosuch%3Db&resourceVersionMatch=Exact", 422, "unless resourceVersion is provided"),
        ("continue=!!&resourceVersion=abc", 400, "invalid continue token: continue key is not valid: illegal base64"),
        ("watch=1&resourceVersion=0&continue=x", 422, forbidden),
    ] {
        let answer = api.get(&format!("{MAPS}?{query}")).await;
        assert_eq!(answer.status, code, "{query}: {}", answer.body);
        assert!(answer.message().contains(message), "{query}: {}", answer.message());
    }
}

/// Upstream: storage gets the one object without listing (`ListPredicate`, `MatchesSingle`).
#[tokio::test(start_paused = true)]
async fn a_list_of_one_name_ignores_the_limit() {
    let api = api().await;
    assert_eq!(api.post(MAPS, &json!({"metadata": {"name": "b"}})).await.status, 201);
    let list = api.get(&format!("{MAPS}?fieldSelector=metadata.name%3Da&limit=1")).await;
    assert_eq!((list.names(), list.body["metadata"].get("continue")), (vec!["a"], None));
}

/// Events have no watch cache, so storage parses their resourceVersion and reports errors in other words.
#[tokio::test(start_paused = true)]
async fn the_error_for_a_bad_resource_version_depends_on_the_watch_cache() {
    let api = api().await;
    let why = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\": invalid syntax";
    let map = api.get(&format!("{MAPS}/a?resourceVersion=abc")).await;
    assert_eq!((map.status, map.message()), (500, why));
    let event = api.get(&format!("{EVENTS}/a?resourceVersion=abc")).await;
    assert_eq!((event.status, event.message()), (400, format!("invalid resource version: {why}").as_str()));
}

/// Upstream: `startWatching` of `storage/etcd3/watcher.go`. Events have no watch cache, so a watch never waits for a
/// cache to catch up.
#[tokio::test(start_paused = true)]
async fn a_watch_of_events_is_served_from_storage() {
    let api = api().await;
    let newest = api.get(MAPS).await.body["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    let initial = "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    let mut watch = api.watch_at(&format!("{EVENTS}?{initial}&timeoutSeconds=300&resourceVersion=0")).await;
    let end = watch.next().await.unwrap();
    assert_eq!(end["object"]["metadata"]["resourceVersion"], newest);
    assert_eq!(watch.next().await, None, "storage sends only the bookmark at the end of the initial events");
    let started = tokio::time::Instant::now();
    let mut watch = api.watch_at(&format!("{EVENTS}?{initial}&resourceVersion=99999")).await;
    let error = watch.next().await.unwrap();
    assert_eq!(
        started.elapsed(),
        std::time::Duration::ZERO,
        "a watch from storage does not wait for a future revision"
    );
    assert_eq!((&error["type"], &error["object"]["reason"]), (&json!("ERROR"), &json!("Timeout")));
}

/// Upstream: `ListResource` validates and defaults the options by the query alone, although the path makes the request
/// a watch.
#[tokio::test(start_paused = true)]
async fn the_deprecated_watch_path_validates_its_options_as_a_list() {
    let api = api().await;
    let old = MAPS.replace("/v1/", "/v1/watch/");
    let refused = api.get(&format!("{old}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!(refused.status, 422);
    let message = refused.message();
    assert!(message.contains("sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"), "{message}");
    let shorts = api.watch_at(&format!("{old}?allowWatchBookmarks=true")).await.short_events().await;
    assert_eq!(shorts, ["ADDED a"], "there is no bookmark at the end of the initial events");
}

/// Upstream: `handleWatch` multiplies the seconds to nanoseconds, which may overflow.
#[tokio::test(start_paused = true)]
async fn a_watch_with_a_negative_timeout_ends_at_once() {
    let api = api().await;
    for seconds in ["-1", "-9223372036", "9223372037"] {
        let mut watch = api.watch_at(&format!("{MAPS}?watch=1&timeoutSeconds={seconds}")).await;
        assert_eq!(watch.next().await, None, "{seconds}");
    }
    let started = tokio::time::Instant::now();
    let mut watch = api.watch_at(&format!("{MAPS}?watch=1&timeoutSeconds=5")).await;
    while watch.next().await.is_some() {}
    assert_eq!(started.elapsed(), std::time::Duration::from_secs(5));
}
