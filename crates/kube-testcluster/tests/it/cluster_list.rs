//! Tests LIST and GET requests to the in-memory API server: resourceVersion options, paging and selectors.

use std::time::Duration;

use kube_testcluster::{Cluster, Era};
use serde_json::json;
use tokio::time::Instant;

use crate::support::api::{Api, PODS, quiet};

/// Creates the pods delta, gamma, beta and alpha in this order. Returns the API, and the revision after each creation.
async fn four(cluster: &Cluster) -> (Api, [u64; 4]) {
    let api = Api::new(cluster);
    let mut versions = [0; 4];
    for (i, name) in ["delta", "gamma", "beta", "alpha"].into_iter().enumerate() {
        versions[i] = api.pod(name, &json!({"app": if i % 2 == 0 { "web" } else { "db" }})).await;
    }
    (api, versions)
}

#[tokio::test(start_paused = true)]
async fn a_list_shows_the_state_of_its_resource_version_options() {
    let (api, v) = four(&quiet().start()).await;
    let all = ["alpha", "beta", "delta", "gamma"];
    let first_two = ["delta", "gamma"];
    let (old, now) = (v[1], v[3]);
    for (query, names, version) in [
        (String::new(), &all[..], now),
        ("resourceVersion=0".into(), &all, now),
        ("resourceVersion=0&limit=2".into(), &all, now),
        (format!("resourceVersion={old}"), &all, now),
        (format!("resourceVersion={now}"), &all, now),
        (format!("resourceVersion={old}&resourceVersionMatch=NotOlderThan"), &all, now),
        (format!("resourceVersion={old}&resourceVersionMatch=NotOlderThan&limit=2"), &all[..2], now),
        ("resourceVersion=0&resourceVersionMatch=NotOlderThan".into(), &all, now),
        ("resourceVersion=0&resourceVersionMatch=NotOlderThan&limit=1".into(), &all, now),
        (format!("resourceVersion={old}&resourceVersionMatch=Exact"), &first_two, old),
        (format!("resourceVersion={old}&resourceVersionMatch=Exact&limit=1"), &first_two[..1], old),
        (format!("resourceVersion={old}&limit=1"), &first_two[..1], old),
        ("limit=3".into(), &all[..3], now),
        ("limit=-1".into(), &all, now),
        ("limit=500".into(), &all, now),
    ] {
        let list = api.get(&format!("{PODS}?{query}")).await;
        assert_eq!((list.status, list.names(), list.version()), (200, names.to_vec(), version), "{query}");
        let paged = list.body["metadata"].get("continue").is_some();
        assert_eq!(paged, names.len() < if version == old { 2 } else { 4 }, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn contradictory_list_options_are_refused() {
    let (api, v) = four(&quiet().start()).await;
    let token = api.get(&format!("{PODS}?limit=1")).await.body["metadata"]["continue"].as_str().unwrap().to_owned();
    let now = v[3];
    for (query, code, reason, message) in [
        (
            "resourceVersionMatch=NotOlderThan".into(),
            422,
            "Invalid",
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        (
            "resourceVersion=0&resourceVersionMatch=Exact".into(),
            422,
            "Invalid",
            "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        (
            format!("resourceVersion={now}&resourceVersionMatch=Bogus"),
            422,
            "Invalid",
            "Unsupported value: \"Bogus\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
        ),
        (
            format!("continue={token}&resourceVersion={now}&resourceVersionMatch=Exact"),
            422,
            "Invalid",
            "resourceVersionMatch is forbidden when continue is provided",
        ),
        ("sendInitialEvents=true".into(), 422, "Invalid", "sendInitialEvents is forbidden for list"),
        (
            format!("continue={token}&resourceVersion={now}"),
            400,
            "BadRequest",
            "specifying resource version is not allowed when using continue",
        ),
        (
            "resourceVersion=abc".into(),
            400,
            "BadRequest",
            "invalid resource version: resourceVersion: Invalid value: \"abc\"",
        ),
        ("resourceVersion=-1".into(), 400, "BadRequest", "invalid resource version"),
        ("limit=x".into(), 400, "BadRequest", "strconv.ParseInt: parsing \"x\": invalid syntax"),
        ("continue=!!".into(), 400, "BadRequest", "invalid continue token"),
        ("timeout=abc".into(), 400, "BadRequest", "invalid timeout specified in the request URL"),
        ("timeoutSeconds=abc".into(), 400, "BadRequest", "strconv.ParseInt"),
        (
            "labelSelector=app%20in%20web".into(),
            400,
            "BadRequest",
            "unable to parse requirement: found 'web' expected: '('",
        ),
        ("fieldSelector=spec.containers%3Dx".into(), 400, "BadRequest", "field label not supported: spec.containers"),
    ] {
        let answer = api.get(&format!("{PODS}?{query}")).await;
        assert_eq!((answer.status, answer.body["reason"].as_str().unwrap()), (code, reason), "{query}");
        assert!(answer.message().contains(message), "{query}: {}", answer.message());
    }
    assert_eq!(api.get(&format!("{PODS}?continue={token}&resourceVersion=0")).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_read_of_a_future_revision_waits_and_then_fails() {
    let cluster = quiet().start();
    let (api, v) = four(&cluster).await;
    let future = v[3] + 1;
    for query in ["", "&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan"] {
        let start = Instant::now();
        let answer = api.get(&format!("{PODS}?resourceVersion={future}{query}")).await;
        assert_eq!((answer.status, start.elapsed()), (504, Duration::from_secs(3)));
        assert_eq!(answer.headers["retry-after"], "1");
        assert_eq!(answer.message(), format!("Timeout: Too large resource version: {future}, current: {}", v[3]));
        assert_eq!(answer.body["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    }
    let item = format!("{PODS}/alpha?resourceVersion={future}");
    assert_eq!(api.get(&item).await.status, 504);
    let waiting = tokio::spawn({
        let api = api.clone();
        async move { api.get(&format!("{PODS}?resourceVersion={future}")).await }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    api.pod("late", &json!({})).await;
    assert_eq!(waiting.await.unwrap().names(), ["alpha", "beta", "delta", "gamma", "late"]);
    assert_eq!(api.get(&item).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn pages_show_the_state_of_the_first_page_despite_later_writes() {
    let (api, v) = four(&quiet().start()).await;
    let first = api.get(&format!("{PODS}?limit=2")).await;
    assert_eq!(first.names(), ["alpha", "beta"]);
    assert_eq!(first.body["metadata"]["remainingItemCount"], 2);
    api.pod("charlie", &json!({})).await;
    api.delete(&format!("{PODS}/gamma")).await;
    api.label("delta", &json!({"new": "1"})).await;
    let token = first.body["metadata"]["continue"].as_str().unwrap();
    let second = api.get(&format!("{PODS}?limit=2&continue={token}")).await;
    assert_eq!((second.names(), second.version()), (vec!["delta", "gamma"], v[3]));
    assert!(second.body["metadata"].get("continue").is_none());
    assert!(second.body["items"][0]["metadata"]["labels"].get("new").is_none());
    assert_eq!(api.get(PODS).await.names(), ["alpha", "beta", "charlie", "delta"]);
}

#[tokio::test(start_paused = true)]
async fn a_page_with_a_selector_has_no_remaining_item_count() {
    let (api, _) = four(&quiet().start()).await;
    let page = api.get(&format!("{PODS}?limit=1&labelSelector=app%3Dweb")).await;
    assert_eq!(page.names(), ["beta"]);
    assert!(page.body["metadata"].get("remainingItemCount").is_none());
    let token = page.body["metadata"]["continue"].as_str().unwrap();
    let rest = api.get(&format!("{PODS}?limit=5&labelSelector=app%3Dweb&continue={token}")).await;
    assert_eq!(rest.names(), ["delta"]);
    assert!(rest.body["metadata"].get("continue").is_none());
}

#[tokio::test(start_paused = true)]
async fn an_expired_page_has_a_token_that_continues_with_the_current_state() {
    let cluster = quiet().start();
    let (api, v) = four(&cluster).await;
    let first = api.get(&format!("{PODS}?limit=2")).await;
    api.label("gamma", &json!({"new": "1"})).await;
    cluster.compact();
    let token = first.body["metadata"]["continue"].as_str().unwrap();
    let expired = api.get(&format!("{PODS}?limit=2&continue={token}")).await;
    assert_eq!((expired.status, expired.body["reason"].as_str().unwrap()), (410, "Expired"));
    assert!(expired.message().starts_with("The provided continue parameter is too old"));
    let token = expired.body["metadata"]["continue"].as_str().unwrap();
    let rest = api.get(&format!("{PODS}?limit=2&continue={token}")).await;
    assert_eq!((rest.names(), rest.version()), (vec!["delta", "gamma"], v[3] + 1));
    for query in ["&resourceVersionMatch=Exact", "&limit=2"] {
        let answer = api.get(&format!("{PODS}?resourceVersion={}{query}", v[1])).await;
        assert_eq!((answer.status, answer.message()), (410, "The resourceVersion for the provided list is too old."));
        assert!(answer.body["metadata"].get("continue").is_none());
    }
    assert_eq!(api.get(&format!("{PODS}?resourceVersion={}", v[1])).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn selectors_and_namespaces_narrow_a_list() {
    let cluster = quiet().start();
    let (api, _) = four(&cluster).await;
    api.bind("alpha").await;
    api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await;
    let pod = json!({"metadata": {"name": "other"}, "spec": {"containers": [{"name": "a", "image": "b"}]}});
    assert_eq!(api.post("/api/v1/namespaces/shop/pods", &pod).await.status, 201);
    for (path, names) in [
        ("/api/v1/pods", &["alpha", "beta", "delta", "gamma", "other"][..]),
        ("/api/v1/namespaces/shop/pods", &["other"]),
        ("/api/v1/namespaces/nosuch/pods", &[]),
        ("/api/v1/pods?labelSelector=app%20in%20(web)", &["beta", "delta"]),
        ("/api/v1/pods?labelSelector=app!%3Dweb", &["alpha", "gamma", "other"]),
        ("/api/v1/pods?fieldSelector=metadata.name%3Dbeta", &["beta"]),
        ("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1", &["alpha"]),
        ("/api/v1/pods?fieldSelector=metadata.namespace!%3Ddefault,status.phase%3DPending", &["other"]),
        ("/api/v1/namespaces?fieldSelector=metadata.name%3Dshop", &["shop"]),
    ] {
        assert_eq!(api.get(path).await.names(), names, "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_read_from_the_cache_lags_behind_other_kinds_until_a_consistent_read() {
    let (api, v) = four(&quiet().start()).await;
    let namespace = api.post("/api/v1/namespaces", &json!({"metadata": {"name": "shop"}})).await.version();
    let cached = format!("{PODS}?resourceVersion=0");
    assert_eq!(api.get(&cached).await.version(), v[3]);
    assert_eq!(api.get(PODS).await.version(), namespace);
    assert_eq!(api.get(&cached).await.version(), namespace);
}

#[tokio::test(start_paused = true)]
async fn the_classic_cache_lists_in_seeded_order_and_storage_in_key_order() {
    async fn orders(seed: u64) -> (Vec<String>, Vec<String>, Vec<String>) {
        let cluster = quiet().era(Era::Classic).seed(seed).start();
        let (api, _) = four(&cluster).await;
        let own = |names: Vec<&str>| names.into_iter().map(ToOwned::to_owned).collect();
        let stored = own(api.get(PODS).await.names());
        let cached = own(api.get(&format!("{PODS}?resourceVersion=0")).await.names());
        let watched = api.watch("").await.short_events().await;
        (stored, cached, watched.iter().map(|event| event.replace("ADDED ", "")).collect())
    }
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let (stored, cached, watched) = orders(seed).await;
        assert_eq!(stored, ["alpha", "beta", "delta", "gamma"]);
        assert_eq!(cached, watched);
        seen.insert(cached);
    }
    assert!(seen.len() > 15, "only {} of 24 orders", seen.len());
}

#[tokio::test(start_paused = true)]
async fn a_get_works_with_and_without_a_resource_version() {
    let (api, v) = four(&quiet().start()).await;
    for query in [String::new(), "?resourceVersion=0".into(), format!("?resourceVersion={}", v[0])] {
        let pod = api.get(&format!("{PODS}/beta{query}")).await;
        assert_eq!((pod.status, pod.version()), (200, v[2]));
        assert_eq!((pod.body["kind"].as_str(), pod.body["apiVersion"].as_str()), (Some("Pod"), Some("v1")));
        assert_eq!(api.get(&format!("{PODS}/nosuch{query}")).await.status, 404);
    }
    let bad = api.get(&format!("{PODS}/beta?resourceVersion=abc")).await;
    assert_eq!((bad.status, bad.body.get("reason")), (500, None));
}

#[tokio::test(start_paused = true)]
async fn a_list_has_a_kind_and_its_items_have_none() {
    let (api, _) = four(&quiet().start()).await;
    let list = api.get(PODS).await.body;
    assert_eq!((list["kind"].as_str(), list["apiVersion"].as_str()), (Some("PodList"), Some("v1")));
    let item = list["items"][0].as_object().unwrap();
    assert_eq!(item.keys().collect::<Vec<_>>(), ["metadata", "spec", "status"]);
}
