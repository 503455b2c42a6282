//! Tests the history that the server keeps for old resourceVersions: compares lists and watches after random writes
//! with a simple model.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use kube_testcluster::Era;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::api::{Api, PODS, item, quiet, short};

type Model = BTreeMap<String, Value>;

/// Applies watch events to a state, and checks that each of them fits the state before it.
fn fold(mut state: Model, events: &[Value]) -> Model {
    for event in events {
        let object = event["object"].clone();
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap() {
            "ADDED" => assert!(state.insert(name, object).is_none(), "added twice"),
            "MODIFIED" => assert!(state.insert(name, object).is_some(), "modified before it was added"),
            "DELETED" => assert!(state.remove(&name).is_some(), "deleted before it was added"),
            other => panic!("{other}"),
        }
    }
    state
}

/// Returns the revision and the pods of a list. The pods get the kind and version that they have in watch events.
async fn list(api: &Api, query: &str) -> (u64, Model) {
    let list = api.get(&format!("{PODS}?{query}")).await;
    assert_eq!(list.status, 200, "{query} {}", list.body);
    let items = list.body["items"].as_array().unwrap().iter().map(|item| {
        let mut item = item.clone();
        (item["kind"], item["apiVersion"]) = (json!("Pod"), json!("v1"));
        (item["metadata"]["name"].as_str().unwrap().to_owned(), item)
    });
    (list.version(), items.collect())
}

/// Makes one random write. Many change nothing or are refused.
async fn write(api: &Api, rng: &mut Rng) {
    let name = format!("pod-{}", rng.u32(..6));
    let item = format!("{PODS}/{name}");
    let value = rng.u32(..3).to_string();
    match rng.u32(..10) {
        0..3 => {
            let pod = json!({"metadata": {"name": name, "labels": {"a": value}}, "spec": {"containers": [{"name": "m", "image": "i"}]}});
            api.post(PODS, &pod).await;
        }
        3..6 => drop(api.merge(&item, &json!({"metadata": {"labels": {"a": value}}})).await),
        6 => drop(api.merge(&format!("{item}/status"), &json!({"status": {"message": value}})).await),
        7 => {
            let binding = json!({"metadata": {"name": name}, "target": {"name": "node-1"}});
            api.post(&format!("{item}/binding"), &binding).await;
        }
        8 => drop(api.delete(&item).await),
        _ => drop(api.delete(&format!("{item}?gracePeriodSeconds=0")).await),
    }
}

#[tokio::test(start_paused = true)]
async fn folding_a_watch_from_any_revision_gives_the_list() {
    for seed in 0..6 {
        let era = if seed % 2 == 0 { Era::Modern } else { Era::Classic };
        let api = Api::new(&quiet().seed(seed).era(era).start());
        let mut rng = Rng::with_seed(seed);
        let mut states = vec![list(&api, "").await];
        let mut watch = api.watch("labelSelector=a%3D1").await;
        for _ in 0..50 {
            write(&api, &mut rng).await;
            states.push(list(&api, "").await);
        }
        let (_, last) = states.last().unwrap().clone();
        for (revision, state) in &states {
            let exact = list(&api, &format!("resourceVersion={revision}&resourceVersionMatch=Exact")).await;
            assert_eq!(exact, (*revision, state.clone()), "seed {seed}: the state at {revision}");
            let events = api.watch(&format!("resourceVersion={revision}")).await.events().await;
            assert_eq!(fold(state.clone(), &events), last, "seed {seed}: the changes since {revision}");
        }
        let selected = |state: &Model| -> Model {
            state
                .iter()
                .filter(|(_, pod)| pod["metadata"]["labels"]["a"] == "1")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect()
        };
        assert_eq!(fold(Model::new(), &watch.events().await), selected(&last), "seed {seed}: live, selected");
        for (revision, state) in &states {
            let query = format!("labelSelector=a%3D1&resourceVersion={revision}");
            let events = api.watch(&query).await.events().await;
            assert_eq!(fold(selected(state), &events), selected(&last), "seed {seed}: selected since {revision}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pages_of_any_size_make_up_the_list_of_the_first_page() {
    for seed in 0..20 {
        let api = Api::new(&quiet().start());
        let mut rng = Rng::with_seed(seed);
        for i in 0..rng.u32(..12) {
            api.pod(&format!("p{}", i * 7 % 12), &json!({})).await; // not in the order of the names
        }
        let expected: Vec<String> = list(&api, "").await.1.into_keys().collect();
        let (mut names, mut query) = (Vec::new(), String::new());
        loop {
            let page = api.get(&format!("{PODS}?limit={}{query}", rng.u32(1..5))).await;
            names.extend(page.names().into_iter().map(ToOwned::to_owned));
            let left = page.body["metadata"]["remainingItemCount"].as_u64().unwrap_or_default();
            assert_eq!(names.len() + usize::try_from(left).unwrap(), expected.len());
            let Some(token) = page.body["metadata"]["continue"].as_str() else { break };
            query = format!("&continue={token}");
            write(&api, &mut rng).await;
        }
        assert_eq!(names, expected, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn revisions_beyond_the_bounded_history_are_expired() {
    let api = Api::new(&quiet().history(10).start());
    let first = api.pod("a", &json!({})).await;
    for i in 0..30 {
        api.label("a", &json!({"i": i.to_string()})).await;
    }
    let now = first + 30;
    for (version, kept) in [(first, false), (now - 11, false), (now - 10, true), (now, true)] {
        let exact = api.get(&format!("{PODS}?resourceVersion={version}&resourceVersionMatch=Exact")).await;
        assert_eq!(exact.status == 200, kept, "list at {version} of {now}");
        let events = api.watch(&format!("resourceVersion={version}")).await.short_events().await;
        assert_eq!(events.first().is_none_or(|event| event != "ERROR"), kept, "watch from {version} of {now}");
    }
}

#[tokio::test(start_paused = true)]
async fn objects_older_than_the_history_are_served_unchanged() {
    for era in [Era::Classic, Era::Modern] {
        let api = Api::new(&quiet().era(era).history(3).start());
        for name in ["a", "b", "c"] {
            let metadata = json!({"name": name, "annotations": {"note": format!("{name} ").repeat(1000)}});
            api.post(PODS, &json!({"metadata": metadata, "spec": {"containers": [{"name": "m", "image": "i"}]}})).await;
        }
        let shown = async || {
            let pods = list(&api, "").await.1;
            (pods, api.get(&item("b")).await.body, api.watch("resourceVersion=0").await.events().await)
        };
        let before = shown().await;
        for i in 0..10 {
            api.post("/api/v1/namespaces/default/configmaps", &json!({"metadata": {"name": format!("m{i}")}})).await;
        }
        sleep(Duration::from_secs(1)).await;
        assert_eq!(shown().await, before);
        let mut watch = api.watch(&format!("resourceVersion={}", list(&api, "").await.0)).await;
        api.label("b", &json!({"new": "1"})).await;
        api.delete(&format!("{}?gracePeriodSeconds=0", item("c"))).await;
        let changes = watch.events().await;
        assert_eq!(changes.iter().map(short).collect::<Vec<_>>(), ["MODIFIED b", "MODIFIED c", "DELETED c"]);
        for (event, name) in changes.iter().zip(["b ", "c ", "c "]) {
            assert_eq!(event["object"]["metadata"]["annotations"]["note"], name.repeat(1000));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_past_state_expires_after_the_history_age() {
    for era in [Era::Classic, Era::Modern] {
        let api = Api::new(&quiet().era(era).history_age(Duration::from_secs(60)).start());
        api.pod("a", &json!({})).await;
        let old = api.pod("b", &json!({})).await;
        let page = api.get(&format!("{PODS}?limit=1")).await;
        let next = format!("{PODS}?limit=1&continue={}", page.body["metadata"]["continue"].as_str().unwrap());
        sleep(Duration::from_secs(1000)).await; // the current state never expires
        let new = api.pod("c", &json!({})).await;
        let exact = |version| format!("{PODS}?resourceVersion={version}&resourceVersionMatch=Exact");
        sleep(Duration::from_millis(59_999)).await;
        assert_eq!(api.get(&exact(old)).await.names(), ["a", "b"]);
        assert_eq!(api.get(&next).await.names(), ["b"]);
        sleep(Duration::from_millis(1)).await;
        let expired = api.get(&next).await;
        assert_eq!((expired.status, &expired.body["reason"]), (410, &json!("Expired")));
        let fresh = expired.body["metadata"]["continue"].as_str().unwrap();
        assert_eq!(api.get(&format!("{PODS}?continue={fresh}")).await.names(), ["b", "c"]);
        assert_eq!(api.get(&exact(old)).await.status, 410);
        assert_eq!(api.get(&exact(new)).await.names(), ["a", "b", "c"]);
        let mut watch = api.watch(&format!("resourceVersion={old}")).await;
        assert_eq!(
            watch.short_events().await,
            ["ADDED c"],
            "the watch cache is limited by number of events, not by age"
        );
    }
}

/// Writes one object of 100 kB this many times. Returns the revision of the last write.
async fn write_large(api: &Api, times: usize) -> u64 {
    let path = "/api/v1/namespaces/default/configmaps";
    let mut version = 0;
    for n in 0..times {
        let object = json!({"metadata": {"name": "large"}, "data": {"a": format!("{n}{}", "x".repeat(100_000))}});
        let answer = match n {
            0 => api.post(path, &object).await,
            _ => api.put(&format!("{path}/large"), &object).await,
        };
        assert!(answer.status < 300, "{}", answer.body);
        version = answer.version();
    }
    version
}

#[tokio::test(start_paused = true)]
async fn the_history_is_bounded_in_bytes() {
    let api = Api::new(&quiet().history_bytes(1_000_000).start());
    let pod = api.pod("a", &json!({})).await;
    let last = write_large(&api, 40).await;
    let path = "/api/v1/namespaces/default/configmaps";
    let list = async |version: u64| {
        let answer = api.get(&format!("{path}?resourceVersion={version}&resourceVersionMatch=Exact")).await;
        answer.status
    };
    let watch = async |version: u64| {
        let mut watch = api.watch_at(&format!("{path}?watch=1&resourceVersion={version}")).await;
        watch.events().await.first().map(|event| event["object"]["code"].clone())
    };
    assert_eq!((list(last - 20).await, watch(last - 20).await), (410, Some(json!(410))));
    assert_eq!((list(last - 5).await, watch(last - 5).await), (200, Some(json!(null))));
    assert_eq!(
        api.watch(&format!("resourceVersion={pod}")).await.events().await.len(),
        0,
        "the events of other kinds are kept apart, so the watch of pods goes on"
    );
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_behind_the_history_ends() {
    let api = Api::new(&quiet().history_bytes(1_000_000).start());
    let path =
        "/api/v1/namespaces/default/configmaps?watch=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=false";
    let (mut unread, mut read) = (api.watch_at(path).await, api.watch_at(path).await);
    for n in 0..40 {
        let object = json!({"metadata": {"name": format!("large-{n}")}, "data": {"a": "x".repeat(100_000)}});
        assert_eq!(api.post("/api/v1/namespaces/default/configmaps", &object).await.status, 201);
        assert_eq!(read.short_events().await, [format!("ADDED large-{n}")]);
    }
    let events = unread.short_events().await;
    assert!(unread.ended && events.len() < 10, "{events:?}");
}
