//! Tests watch requests to the in-memory API server: where a watch starts, which events it sends, and how it ends.

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{ListOptions, ListWatch, ListerWatcher};
use std::time::Duration;

use kube_testcluster::{Cluster, Era};
use serde_json::json;
use tokio::time::Instant;

use crate::support::api::{Api, PODS, quiet, short, version};

const STREAMING: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

/// Creates the pods beta and alpha. Returns the API, and the revision after each creation.
async fn two(cluster: &Cluster) -> (Api, u64, u64) {
    let api = Api::new(cluster);
    let beta = api.pod("beta", &json!({"app": "web"})).await;
    let alpha = api.pod("alpha", &json!({"app": "db"})).await;
    (api, beta, alpha)
}

#[tokio::test(start_paused = true)]
async fn the_options_of_a_watch_decide_where_it_starts() {
    let cluster = quiet().start();
    let (api, beta, alpha) = two(&cluster).await;
    let state = ["ADDED alpha", "ADDED beta"];
    let future = alpha + 2;
    for (query, first, after) in [
        ("".into(), &state[..], &["ADDED x", "MODIFIED x"][..]),
        ("resourceVersion=0".into(), &state, &["ADDED x", "MODIFIED x"]),
        (format!("resourceVersion={alpha}"), &[], &["ADDED x", "MODIFIED x"]),
        (format!("resourceVersion={beta}"), &["ADDED alpha"], &["ADDED x", "MODIFIED x"]),
        ("resourceVersion=1".into(), &["ADDED beta", "ADDED alpha"], &["ADDED x", "MODIFIED x"]),
        (STREAMING.into(), &["ADDED alpha", "ADDED beta", "BOOKMARK"], &["ADDED x", "MODIFIED x"]),
        (
            format!("{STREAMING}&resourceVersion=0"),
            &["ADDED alpha", "ADDED beta", "BOOKMARK"],
            &["ADDED x", "MODIFIED x"],
        ),
        (
            format!("{STREAMING}&resourceVersion=1"),
            &["ADDED alpha", "ADDED beta", "BOOKMARK"],
            &["ADDED x", "MODIFIED x"],
        ),
        (format!("{STREAMING}&labelSelector=app%3Dnone"), &["BOOKMARK"], &[]),
        ("sendInitialEvents=true&resourceVersionMatch=NotOlderThan".into(), &state, &["ADDED x", "MODIFIED x"]),
        ("sendInitialEvents=false&resourceVersionMatch=NotOlderThan".into(), &[], &["ADDED x", "MODIFIED x"]),
        (
            "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=0".into(),
            &[],
            &["ADDED x", "MODIFIED x"],
        ),
        (
            format!("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={beta}"),
            &["ADDED alpha"],
            &["ADDED x", "MODIFIED x"],
        ),
        ("allowWatchBookmarks=true".into(), &["ADDED alpha", "ADDED beta", "BOOKMARK"], &["ADDED x", "MODIFIED x"]),
    ] {
        let cluster = quiet().start();
        let (api, ..) = two(&cluster).await;
        let mut watch = api.watch(&query).await;
        assert_eq!(watch.short_events().await, first, "{query}");
        api.pod("x", &json!({})).await;
        api.label("x", &json!({"a": "1"})).await;
        assert_eq!(watch.short_events().await, after, "{query}");
    }
    // From a future revision, the watch gets no events until a newer write.
    let mut watch = api.watch(&format!("resourceVersion={future}")).await;
    api.pod("x", &json!({})).await;
    api.label("x", &json!({"a": "1"})).await;
    assert!(watch.events().await.is_empty());
    api.label("x", &json!({"a": "2"})).await;
    assert_eq!(watch.short_events().await, ["MODIFIED x"]);
}

#[tokio::test(start_paused = true)]
async fn contradictory_watch_options_are_refused() {
    let (api, ..) = two(&quiet().start()).await;
    for (query, code, message) in [
        ("sendInitialEvents=true", 422, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"),
        (
            "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
            422,
            "resourceVersionMatch: Unsupported value: \"Exact\": supported values: \"NotOlderThan\"",
        ),
        (
            "resourceVersionMatch=NotOlderThan&resourceVersion=0",
            422,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ),
        ("resourceVersion=abc", 500, "resourceVersion: Invalid value: \"abc\""),
        ("fieldSelector=spec.bogus%3Dx", 400, "field label not supported: spec.bogus"),
        ("labelSelector=a%20in%20b", 400, "found 'b' expected: '('"),
    ] {
        let answer = api.get(&format!("{PODS}?watch=true&{query}")).await;
        assert_eq!(answer.status, code, "{query}");
        assert!(answer.message().contains(message), "{query}: {}", answer.message());
    }
}

#[tokio::test(start_paused = true)]
async fn a_classic_server_refuses_streaming_lists_and_sends_no_initial_bookmark() {
    let (api, ..) = two(&quiet().era(Era::Classic).start()).await;
    let answer = api.get(&format!("{PODS}?watch=true&{STREAMING}")).await;
    assert_eq!(answer.status, 422);
    assert!(answer.message().contains("unless the WatchList feature gate is enabled"));
    let mut events = api.watch("allowWatchBookmarks=true").await.short_events().await;
    events.sort();
    assert_eq!(events, ["ADDED alpha", "ADDED beta"]);
}

#[tokio::test(start_paused = true)]
async fn the_initial_events_end_with_a_bookmark_at_the_revision_of_storage() {
    let cluster = quiet().start();
    let (api, ..) = two(&cluster).await;
    let newest = api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.version();
    let events = api.watch(STREAMING).await.events().await;
    let expected = json!({
        "kind": "Pod", "apiVersion": "v1", "spec": {"containers": null}, "status": {},
        "metadata": {"resourceVersion": newest.to_string(), "annotations": {"k8s.io/initial-events-end": "true"}},
    });
    assert_eq!(events[2], json!({"type": "BOOKMARK", "object": expected}));
}

#[tokio::test(start_paused = true)]
async fn an_expired_resource_version_gives_an_error_event_and_ends_the_watch() {
    let cluster = quiet().start();
    let (api, beta, alpha) = two(&cluster).await;
    cluster.compact();
    let mut watch = api.watch(&format!("resourceVersion={beta}")).await;
    let error = watch.next().await.unwrap();
    assert_eq!(
        error,
        json!({"type": "ERROR", "object": {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Expired", "code": 410,
            "message": format!("too old resource version: {beta} ({alpha})"),
        }})
    );
    assert!(watch.next().await.is_none());
    let mut watch = api.watch(&format!("resourceVersion={alpha}")).await;
    api.label("beta", &json!({"a": "1"})).await;
    assert_eq!(watch.short_events().await, ["MODIFIED beta"]);
    assert_eq!(api.watch(&format!("{STREAMING}&resourceVersion={beta}")).await.short_events().await.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_of_a_future_revision_waits_and_then_sends_an_error_event() {
    let cluster = quiet().start();
    let (api, _, alpha) = two(&cluster).await;
    let start = Instant::now();
    let mut watch = api.watch(&format!("{STREAMING}&resourceVersion={}", alpha + 1)).await;
    let error = watch.next().await.unwrap();
    assert_eq!((error["object"]["code"].as_u64(), start.elapsed()), (Some(504), Duration::from_secs(3)));
    assert!(watch.next().await.is_none());
    let mut watch = api.watch(&format!("{STREAMING}&resourceVersion={}", alpha + 1)).await;
    assert!(watch.events().await.is_empty());
    api.pod("x", &json!({})).await;
    assert_eq!(watch.short_events().await, ["ADDED alpha", "ADDED beta", "ADDED x", "BOOKMARK"]);
}

#[tokio::test(start_paused = true)]
async fn bookmarks_come_every_minute_and_before_the_deadline_with_the_revision_of_the_whole_store() {
    let cluster = quiet().start();
    let (api, _, alpha) = two(&cluster).await;
    let query = format!("resourceVersion={alpha}&allowWatchBookmarks=true&timeoutSeconds=75");
    let mut watch = api.watch(&query).await;
    let start = Instant::now();
    let newest = api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.version();
    let mut seen = Vec::new();
    while let Some(event) = watch.next().await {
        seen.push((short(&event), version(&event), start.elapsed().as_secs()));
    }
    assert_eq!(seen, [("BOOKMARK".to_owned(), newest, 60), ("BOOKMARK".to_owned(), newest, 73)]);
    assert_eq!(start.elapsed(), Duration::from_secs(75));
    // A bookmark with a revision that the client already has is not sent.
    let query = format!("resourceVersion={newest}&allowWatchBookmarks=true&timeoutSeconds=6");
    assert!(api.watch(&query).await.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_timeout_ends_after_30_to_60_minutes_depending_on_the_seed() {
    async fn duration(seed: u64) -> Duration {
        let cluster = quiet().seed(seed).start();
        let api = Api::new(&cluster);
        let start = Instant::now();
        assert!(api.watch("").await.next().await.is_none());
        start.elapsed()
    }
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let once = duration(1).await;
    assert!(once >= minutes(30) && once < minutes(60));
    assert_eq!(once, duration(1).await);
    assert_ne!(once, duration(2).await);
}

#[tokio::test(start_paused = true)]
async fn with_a_selector_entering_is_added_and_leaving_is_deleted_with_the_previous_state() {
    let cluster = quiet().start();
    let (api, _, alpha) = two(&cluster).await;
    let mut watch = api.watch(&format!("labelSelector=app%3Dweb&resourceVersion={alpha}")).await;
    let entered = api.label("alpha", &json!({"app": "web"})).await;
    api.label("alpha", &json!({"x": "1"})).await;
    let left = api.label("alpha", &json!({"app": "db"})).await;
    api.label("alpha", &json!({"y": "1"})).await;
    let mut replay = api.watch(&format!("labelSelector=app%3Dweb&resourceVersion={alpha}")).await;
    let events = watch.events().await;
    assert_eq!(events.iter().map(short).collect::<Vec<_>>(), ["ADDED alpha", "MODIFIED alpha", "DELETED alpha"]);
    assert_eq!((version(&events[0]), version(&events[2])), (entered, left));
    assert_eq!(events[2]["object"]["metadata"]["labels"], json!({"app": "web", "x": "1"}));
    assert_eq!(events, replay.events().await);
}

#[tokio::test(start_paused = true)]
async fn a_field_selector_follows_the_phase() {
    let cluster = quiet().start();
    let (api, _, alpha) = two(&cluster).await;
    let mut watch = api.watch(&format!("fieldSelector=status.phase%3DPending&resourceVersion={alpha}")).await;
    api.merge(&format!("{PODS}/beta/status"), &json!({"status": {"phase": "Running"}})).await;
    let events = watch.events().await;
    assert_eq!(short(&events[0]), "DELETED beta");
    assert_eq!(events[0]["object"]["status"]["phase"], "Pending");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_event_has_the_last_state_with_its_own_revision() {
    let cluster = quiet().start();
    let (api, ..) = two(&cluster).await;
    let mut watch = api.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan").await;
    let answer = api.delete(&format!("{PODS}/beta")).await;
    let events = watch.events().await;
    assert_eq!(events.iter().map(short).collect::<Vec<_>>(), ["MODIFIED beta", "DELETED beta"]);
    assert_eq!(version(&events[1]), version(&events[0]) + 1);
    let grace = |i: usize| events[i]["object"]["metadata"]["deletionGracePeriodSeconds"].as_i64();
    assert_eq!((grace(0), grace(1)), (Some(0), Some(0)));
    assert_eq!(events[1]["object"], answer.body);
}

#[tokio::test(start_paused = true)]
async fn a_watch_begins_when_it_is_answered_not_when_it_is_first_read() {
    let cluster = quiet().start();
    let (api, ..) = two(&cluster).await;
    let mut watch = api.watch("").await;
    api.pod("aardvark", &json!({})).await;
    assert_eq!(watch.short_events().await, ["ADDED alpha", "ADDED beta", "ADDED aardvark"]);
}

#[tokio::test(start_paused = true)]
async fn all_namespaces_the_deprecated_path_and_a_single_object_can_be_watched() {
    let cluster = quiet().start();
    let (api, ..) = two(&cluster).await;
    for path in ["/api/v1/pods?watch=1", "/api/v1/watch/namespaces/default/pods", "/api/v1/pods?watch"] {
        assert_eq!(api.watch_at(path).await.short_events().await, ["ADDED alpha", "ADDED beta"], "{path}");
    }
    let one = "/api/v1/watch/namespaces/default/pods/beta";
    assert_eq!(api.watch_at(&format!("{one}?watch=0")).await.short_events().await, ["ADDED beta"]);
    let other = api.get(&format!("{one}?fieldSelector=metadata.name%3Dalpha")).await;
    assert_eq!((other.status, other.message()), (400, "fieldSelector metadata.name doesn't match requested name"));
    assert_eq!(api.post("/api/v1/watch/namespaces/default/pods", &json!({})).await.status, 405);
    assert_eq!(api.get(&format!("{PODS}/alpha?watch=true")).await.body["kind"], "Pod");
    assert_eq!(api.get(&format!("{PODS}?watch=false")).await.body["kind"], "PodList");
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_gets_the_buffered_events_and_then_the_end() {
    let cluster = quiet().watch_buffer(100).start();
    let (api, ..) = two(&cluster).await;
    let mut slow = api.watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan").await;
    for i in 0..110 {
        api.label("alpha", &json!({"i": i.to_string()})).await;
    }
    let mut read = 0;
    while slow.next().await.is_some() {
        read += 1;
    }
    assert_eq!(read, 100);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_every_watch_after_its_pending_events() {
    let cluster = quiet().start();
    let (api, ..) = two(&cluster).await;
    let mut watch = api.watch("").await;
    api.pod("x", &json!({})).await;
    cluster.shutdown().await;
    assert_eq!(watch.short_events().await, ["ADDED alpha", "ADDED beta", "ADDED x"]);
    assert!(watch.ended);
    let mut late = api.watch("").await;
    assert_eq!(late.short_events().await.len(), 3);
    assert!(late.ended);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_longer_than_any_clock_is_accepted() {
    let cluster = Cluster::builder().start();
    let pods = ListWatch::<Pod>::all(cluster.client("default"));
    let mut options = ListOptions::default();
    options.timeout_seconds = u32::MAX;
    assert!(pods.watch(options).await.is_ok());
    let request =
        http::Request::get("/api/v1/pods?watch=true&timeoutSeconds=9223372036854775807").body(Vec::new()).unwrap();
    assert!(cluster.client("default").request_stream(request).await.is_ok());
}
