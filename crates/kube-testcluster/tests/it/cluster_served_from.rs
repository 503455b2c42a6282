//! Tests which reads are served from storage and which from the watch cache. Upstream: `shouldDelegateList` of both
//! eras.

use kube_testcluster::{Cluster, Era};
use serde_json::json;

use crate::support::api::{Api, PODS, quiet};

/// Creates the pods a, b and c. Returns the API, and the revision after the second pod.
async fn three(cluster: &Cluster) -> (Api, u64) {
    let api = Api::new(cluster);
    api.pod("a", &json!({})).await;
    let second = api.pod("b", &json!({})).await;
    api.pod("c", &json!({})).await;
    (api, second)
}

async fn served_from(api: &Api, path: &str) -> String {
    let answer = api.get(path).await;
    answer.headers.get("x-served-from").unwrap_or_else(|| panic!("{path}")).to_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_classic_server_serves_consistent_paged_and_exact_lists_from_storage() {
    let (api, second) = three(&quiet().era(Era::Classic).start()).await;
    let token = api.get(&format!("{PODS}?limit=1")).await.body["metadata"]["continue"].as_str().unwrap().to_owned();
    for (query, from) in [
        (String::new(), "storage"),
        ("limit=1".into(), "storage"),
        (format!("continue={token}&limit=1"), "storage"),
        (format!("resourceVersion={second}&limit=1"), "storage"),
        (format!("resourceVersion={second}&resourceVersionMatch=Exact"), "storage"),
        (format!("resourceVersion={second}&resourceVersionMatch=NotOlderThan&limit=1"), "storage"),
        ("resourceVersion=0".into(), "watch-cache"),
        ("resourceVersion=0&limit=1".into(), "watch-cache"),
        (format!("resourceVersion={second}"), "watch-cache"),
        (format!("resourceVersion={second}&resourceVersionMatch=NotOlderThan"), "watch-cache"),
    ] {
        assert_eq!(served_from(&api, &format!("{PODS}?{query}")).await, from, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_serves_lists_from_its_watch_cache_where_it_can() {
    let cluster = quiet().start();
    let (api, second) = three(&cluster).await;
    let page = api.get(&format!("{PODS}?limit=1")).await;
    let token = page.body["metadata"]["continue"].as_str().unwrap();
    let exact = format!("resourceVersion={second}&resourceVersionMatch=Exact");
    for (query, from) in [
        (String::new(), "watch-cache"),
        ("limit=1".into(), "watch-cache"),
        (format!("continue={token}&limit=1"), "watch-cache"),
        (format!("resourceVersion={second}&limit=1"), "watch-cache"),
        (exact.clone(), "watch-cache"),
        ("resourceVersion=0".into(), "watch-cache"),
        (format!("{exact}&fieldSelector=metadata.name%3Da"), "storage"),
        ("fieldSelector=metadata.name%3Da".into(), "watch-cache"),
    ] {
        assert_eq!(served_from(&api, &format!("{PODS}?{query}")).await, from, "{query}");
    }
    cluster.compact();
    let expired = api.get(&format!("{PODS}?{exact}")).await;
    assert_eq!((expired.status, expired.headers["x-served-from"].to_str().unwrap()), (410, "storage"));
}

#[tokio::test(start_paused = true)]
async fn a_get_without_a_resource_version_reads_storage_and_a_watch_never_does() {
    let cluster = quiet().start();
    let (api, _) = three(&cluster).await;
    assert_eq!(served_from(&api, &format!("{PODS}/a")).await, "storage");
    assert_eq!(served_from(&api, &format!("{PODS}/nosuch")).await, "storage");
    assert_eq!(served_from(&api, &format!("{PODS}/a?resourceVersion=0")).await, "watch-cache");
    assert_eq!(served_from(&api, &format!("{PODS}?watch=true&timeoutSeconds=1")).await, "watch-cache");
}

#[tokio::test(start_paused = true)]
async fn only_storage_cuts_a_list_of_version_0_into_pages() {
    // The numbers of objects in the list, and in a list with a continue token. With a token, the classic server reads
    // storage, which obeys the limit; the modern server reads its watch cache, which ignores the limit of version 0.
    for (era, whole, continued) in [(Era::Classic, 3, 1), (Era::Modern, 3, 2)] {
        let (api, _) = three(&quiet().era(era).start()).await;
        let first = api.get(&format!("{PODS}?limit=1")).await;
        let token = first.body["metadata"]["continue"].as_str().unwrap().to_owned();
        let listed = async |query: &str| {
            let list = api.get(&format!("{PODS}?resourceVersion=0&limit=1{query}")).await.body;
            let goes_on = list["metadata"]["continue"].is_string();
            let objects = list["items"].as_array().map_or(0, Vec::len);
            assert_eq!(goes_on, objects == 1, "{era:?}: {query}");
            objects
        };
        assert_eq!(listed("").await, whole, "{era:?}");
        assert_eq!(listed("&resourceVersionMatch=NotOlderThan").await, whole, "{era:?}");
        assert_eq!(listed(&format!("&continue={token}")).await, continued, "{era:?}");
    }
}
