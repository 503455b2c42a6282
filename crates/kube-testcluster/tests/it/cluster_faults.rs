//! Tests each injected fault as a client sees it, and informers that survive all of them.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use futures::StreamExt;
use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{ListWatch, ReflectorOptions, SharedIndexInformer, WatchList};
use kube_testcluster::{Admin, Cluster, Effect, Era, Fault, Scenario, Verb};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS, pod, quiet, short, version};
use crate::support::seeds;

const STREAM: &str = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

fn start(cluster: &Cluster, fault: &str) {
    cluster.faults().start(fault.parse().unwrap());
}

#[tokio::test(start_paused = true)]
async fn an_error_fault_refuses_the_given_number_of_requests_in_kubernetes_words() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    for (fault, code, status) in [
        (
            "500:times=2",
            500,
            json!({"message": "Internal error occurred: a fault was asked for", "reason": "InternalError",
                "details": {"causes": [{"message": "a fault was asked for"}]}}),
        ),
        (
            "429:times=2,retry-after=7",
            429,
            json!({"message": "Too many requests, please try again later.", "reason": "TooManyRequests",
                "details": {"retryAfterSeconds": 7}}),
        ),
        (
            "504:times=2",
            504,
            json!({"message": "Timeout: request did not complete within the allotted timeout", "reason": "Timeout",
                "details": {}}),
        ),
    ] {
        start(&cluster, fault);
        for path in [PODS, &format!("{PODS}?watch=true")] {
            let answer = api.get(path).await;
            let mut expected = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"});
            expected.as_object_mut().unwrap().extend(status.as_object().unwrap().clone());
            expected["code"] = code.into();
            assert_eq!((answer.status, answer.body), (code, expected), "{fault}");
            let retry_after = answer.headers.get("retry-after").map(|value| value.to_str().unwrap());
            assert_eq!(retry_after, (code == 429).then_some("7"));
        }
        assert_eq!(api.get(PODS).await.status, 200, "{fault} is over");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_applies_to_its_verb_and_resource_for_its_time() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let faults = cluster.faults();
    faults.start(Fault::new(Effect::InternalError).verb(Verb::List).resource("pods").lasting(Duration::from_secs(5)));
    api.pod("alpha", &json!({})).await;
    assert_eq!(api.get(&format!("{PODS}/alpha")).await.status, 200);
    assert_eq!(api.get("/api/v1/configmaps").await.status, 200);
    api.watch("").await; // `watch` asserts the status 200
    sleep(Duration::from_millis(4500)).await;
    assert_eq!(api.get(PODS).await.status, 500);
    let left: Vec<String> = faults.active().iter().map(ToString::to_string).collect();
    assert_eq!(left, ["500:verb=list,resource=pods,for=500ms"]);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(api.get(PODS).await.status, 200);
    assert_eq!(faults.active(), []);
    for (verb, method, path) in [
        ("get", "GET", "/alpha"),
        ("list", "GET", ""),
        ("watch", "GET", "?watch=1"),
        ("create", "POST", ""),
        ("update", "PUT", "/alpha"),
        ("patch", "PATCH", "/alpha"),
        ("delete", "DELETE", "/alpha"),
        ("deletecollection", "DELETE", ""),
    ] {
        start(&cluster, &format!("500:verb={verb}"));
        let media = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let answer = api.send(method, &format!("{PODS}{path}"), media, "{}").await;
        assert_eq!((answer.status, faults.active().len()), (500, 0), "{verb}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_delayed_request_gets_its_ordinary_answer_later() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    start(&cluster, "delay:by=250ms,times=2");
    start(&cluster, "504");
    let before = Instant::now();
    assert_eq!(api.get(PODS).await.status, 504);
    assert_eq!(api.get(PODS).await.status, 200);
    assert_eq!(api.get(PODS).await.status, 200);
    assert_eq!(before.elapsed(), Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn dropped_watches_end_after_their_events_and_new_watches_work() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    api.pod("alpha", &json!({})).await;
    let (mut pods, mut maps) = (api.watch("").await, api.watch_at("/api/v1/configmaps?watch=true").await);
    api.pod("beta", &json!({})).await;
    start(&cluster, "drop-watches:resource=pods");
    assert_eq!(pods.short_events().await.iter().filter(|event| !event.starts_with("BOOKMARK")).count(), 2);
    maps.short_events().await;
    assert!(pods.ended && !maps.ended);
    start(&cluster, "drop-watches");
    maps.short_events().await;
    assert!(maps.ended);
    assert!(!api.watch("").await.short_events().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn hidden_events_are_missing_only_in_open_watches() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let before = api.pod("alpha", &json!({})).await;
    let mut watch = api.watch(&format!("resourceVersion={before}")).await;
    start(&cluster, "hide-events:times=2,resource=pods");
    api.pod("beta", &json!({})).await;
    api.delete(&format!("{PODS}/alpha?gracePeriodSeconds=0")).await; // two writes, and the fault hides the first
    api.pod("gamma", &json!({})).await;
    assert_eq!(watch.short_events().await, ["DELETED alpha", "ADDED gamma"]);
    assert_eq!(api.get(&format!("{PODS}?resourceVersion=0")).await.names(), ["beta", "gamma"]);
    let again = api.watch(&format!("resourceVersion={before}")).await.short_events().await;
    assert_eq!(again, ["ADDED beta", "MODIFIED alpha", "DELETED alpha", "ADDED gamma"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_compaction_old_revisions_are_expired() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    let before = api.pod("alpha", &json!({})).await;
    api.pod("beta", &json!({})).await;
    start(&cluster, "compact");
    assert_eq!(api.get(&format!("{PODS}?resourceVersion={before}&resourceVersionMatch=Exact")).await.status, 410);
    let mut watch = api.watch(&format!("resourceVersion={before}")).await;
    assert_eq!(watch.next().await.unwrap()["object"]["code"], 410);
}

#[tokio::test(start_paused = true)]
async fn a_lagging_watch_cache_serves_old_data_until_it_catches_up() {
    for era in [Era::Classic, Era::Modern] {
        let cluster = quiet().era(era).start();
        let api = Api::new(&cluster);
        let first = api.pod("alpha", &json!({})).await;
        let mut watch = api.watch(&format!("resourceVersion={first}")).await;
        start(&cluster, "lag:for=10s,resource=pods");
        let second = api.pod("beta", &json!({})).await;
        let began = Instant::now();
        assert_eq!(api.get(&format!("{PODS}?resourceVersion=0")).await.names(), ["alpha"]);
        assert_eq!(api.get(&format!("{PODS}/beta?resourceVersion=0")).await.status, 404);
        assert_eq!(api.get(&format!("{PODS}/beta")).await.status, 200, "a get without a resourceVersion reads storage");
        assert_eq!(began.elapsed(), Duration::ZERO);
        let fresh = api.get(&format!("{PODS}?resourceVersion={second}&resourceVersionMatch=NotOlderThan")).await;
        let message = format!("Timeout: Too large resource version: {second}, current: {first}");
        assert_eq!((fresh.status, fresh.message()), (504, message.as_str()));
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        let consistent = api.get(PODS).await;
        assert_eq!(consistent.names(), ["alpha", "beta"], "after the wait, the list is read from storage");
        assert_eq!(consistent.headers["x-served-from"], "storage");
        assert_eq!(watch.short_events().await, [""; 0]);
        sleep(Duration::from_secs(10)).await;
        assert_eq!(watch.short_events().await, ["ADDED beta"]);
        assert_eq!(api.get(&format!("{PODS}?resourceVersion=0")).await.names().len(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_for_a_newer_revision_waits_until_the_lagging_cache_catches_up() {
    let cluster = quiet().start();
    let api = Api::new(&cluster);
    start(&cluster, "lag:for=2s");
    let revision = api.pod("alpha", &json!({})).await;
    let query = format!("{STREAM}&resourceVersion={revision}");
    let (list, mut stream) = tokio::join!(api.get(PODS), api.watch(&query));
    assert_eq!((list.names(), &list.headers["x-served-from"]), (vec!["alpha"], &"watch-cache".parse().unwrap()));
    assert_eq!(stream.short_events().await, ["ADDED alpha", "BOOKMARK"]);
    start(&cluster, "lag");
    let revision = api.pod("beta", &json!({})).await;
    let mut late = api.watch(&format!("{STREAM}&resourceVersion={revision}")).await;
    assert_eq!(late.next().await.unwrap()["object"]["reason"], "Timeout");
    cluster.faults().end_all();
    assert_eq!(stream.short_events().await, ["ADDED beta"]);
}

#[tokio::test(start_paused = true)]
async fn a_cut_watch_ends_abnormally_in_the_middle_of_an_event() {
    for accept in ["application/json", "application/json;as=Table;g=meta.k8s.io;v=v1"] {
        let cluster = quiet().start();
        let api = Api::new(&cluster);
        api.pod("alpha", &json!({})).await;
        let request = Request::get(format!("{PODS}?watch=true&resourceVersion=0")).header("accept", accept);
        let mut stream = api.raw(request.body(Body::empty()).unwrap()).await.into_body().into_data_stream();
        let first: Value = serde_json::from_slice(&stream.next().await.unwrap().unwrap()).unwrap();
        assert_eq!(first["type"], "ADDED");
        while let Ok(Some(_)) = tokio::time::timeout(Duration::from_millis(1), stream.next()).await {}
        start(&cluster, "cut-watches");
        api.pod("beta", &json!({})).await;
        let half = stream.next().await.unwrap().unwrap();
        assert!(half.starts_with(b"{\"") && serde_json::from_slice::<Value>(&half).is_err());
        assert!(stream.next().await.unwrap().is_err());
        assert!(stream.next().await.is_none());
        let mut next = api.watch("resourceVersion=0").await;
        assert_eq!(short(&next.next().await.unwrap()), "ADDED alpha", "only one watch was cut");
    }
}

#[tokio::test(start_paused = true)]
async fn frozen_bookmarks_stop_except_the_one_that_ends_a_streaming_list() {
    let cluster = quiet().bookmark_period(Duration::from_secs(10)).start();
    let api = Api::new(&cluster);
    start(&cluster, "freeze-bookmarks:for=60s");
    let mut watch = api.watch(STREAM).await;
    assert_eq!(watch.short_events().await, ["BOOKMARK"]);
    let map = json!({"metadata": {"name": "other"}});
    let revision = api.post("/api/v1/namespaces/default/configmaps", &map).await.version();
    sleep(Duration::from_secs(55)).await;
    assert_eq!(watch.short_events().await, [""; 0]);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(watch.events().await.iter().map(version).collect::<Vec<_>>(), [revision]);
}

#[tokio::test(start_paused = true)]
async fn the_refuse_watch_list_fault_answers_like_a_server_without_streaming_lists() {
    let cluster = quiet().start();
    let (api, off) = (Api::new(&cluster), Api::new(&quiet().watch_list(false).start()));
    start(&cluster, "refuse-watch-list:resource=pods");
    let path = format!("{PODS}?watch=true&{STREAM}");
    let (refused, recorded) = (api.get(&path).await, off.get(&path).await);
    assert_eq!((refused.status, refused.body), (422, recorded.body));
    assert!(api.watch("resourceVersion=0").await.events().await.len() < 2); // an ordinary watch is not refused
    assert!(!api.watch_at(&format!("/api/v1/configmaps?watch=true&{STREAM}")).await.events().await.is_empty());
    cluster.faults().end_all();
    assert!(!api.watch(STREAM).await.events().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_admin_path_exists_only_if_it_is_switched_on() {
    let off = Api::new(&quiet().start());
    for method in ["GET", "POST", "DELETE"] {
        let answer = off.send(method, "/lab/faults", "", "").await;
        assert_eq!((answer.status, answer.body), (404, json!("404 page not found\n")));
    }
    let cluster = quiet().admin(Admin::On).start();
    let api = Api::new(&cluster);
    let fault = json!({"fault": "429:verb=list,times=2"});
    let started = api.post("/lab/faults", &fault).await;
    assert_eq!((started.status, &started.body), (201, &fault));
    assert_eq!(api.get(PODS).await.status, 429);
    assert_eq!(api.get("/lab/faults").await.body, json!({"faults": [{"fault": "429:verb=list"}]}));
    assert_eq!(api.delete("/lab/faults").await.body, json!({"faults": []}));
    assert_eq!(api.get(PODS).await.status, 200);
    for body in ["", "{}", "[", "{\"fault\": 7}", "{\"fault\": \"418\"}"] {
        let answer = api.send("POST", "/lab/faults", "application/json", body).await;
        assert_eq!((answer.status, &answer.body["reason"]), (400, &json!("BadRequest")), "{body}");
        assert!(answer.message().starts_with("the body is not a fault: "), "{}", answer.message());
    }
    assert_eq!(api.send("PUT", "/lab/faults", "", "").await.status, 405);
}

#[tokio::test(start_paused = true)]
async fn a_scenario_can_start_faults_if_the_admin_path_is_on() {
    let story = "- {at: 1s, fault: \"500:verb=list\"}\n- {at: 2s, run: web}\n";
    let scenario = Scenario::from_yaml(story, "story.yaml").unwrap();
    let command = "echo '{\"fault\":\"500:verb=list\"}' | kubectl create --raw /lab/faults -f -";
    assert_eq!(scenario.steps()[0].in_namespace("shop").to_string(), command);
    let cluster = quiet().admin(Admin::On).start();
    scenario.play(cluster.client("default"), "default", |_| ()).await.unwrap();
    assert_eq!(Api::new(&cluster).get(PODS).await.status, 500);
    let other = quiet().start();
    let error = scenario.play(other.client("default"), "default", |_| ()).await.unwrap_err();
    let message = format!("{command}: this cluster accepts no faults: it has no /lab/faults");
    assert_eq!(error.to_string(), message);
    let error = Scenario::from_yaml("- {at: 1s, run: web}\n- {at: 1s, fault: \"418\"}\n", "s.yaml").unwrap_err();
    assert!(error.to_string().starts_with("s.yaml:2: unknown fault \"418\"; expected one of"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn faults_do_not_affect_the_kubelet() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    tokio::task::yield_now().await; // the kubelet begins to watch
    for fault in ["500:for=ever", "drop-watches", "hide-events:for=ever", "cut-watches:for=ever"] {
        start(&cluster, fault);
    }
    let client = cluster.client("default");
    assert!(client.request::<Value>(Request::get(PODS).body(Vec::new()).unwrap()).await.is_err());
    cluster.faults().end_all();
    start(&cluster, "hide-events:for=ever");
    assert_eq!(api.post(PODS, &pod("web", &json!({}))).await.status, 201);
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/web")).await.body["status"]["phase"], "Running");
}

/// Returns the resourceVersion of each object by its name.
fn identities(list: &Value) -> BTreeMap<String, String> {
    let text = |item: &Value, field: &str| item["metadata"][field].as_str().unwrap().to_owned();
    list["items"].as_array().unwrap().iter().map(|item| (text(item, "name"), text(item, "resourceVersion"))).collect()
}

const FAULTS: [&str; 18] = [
    "drop-watches",
    "drop-watches:resource=pods",
    "hide-events:times=2",
    "hide-events:for=3s",
    "compact",
    "lag:for=5s",
    "500:for=2s",
    "500:verb=watch,times=3",
    "429:verb=list,times=2,retry-after=3",
    "429:for=4s",
    "504:times=4",
    "delay:by=4s,times=2",
    "delay:by=50ms,for=10s",
    "cut-watches",
    "cut-watches:times=3,resource=pods",
    "freeze-bookmarks:for=2m",
    "refuse-watch-list:times=2",
    "refuse-watch-list:for=1m",
];

#[tokio::test(start_paused = true)]
async fn informers_come_through_every_fault_with_the_servers_state() {
    for seed in seeds(40) {
        let mut random = fastrand::Rng::with_seed(seed);
        let era = if random.bool() { Era::Modern } else { Era::Classic };
        let cluster = quiet().seed(seed).era(era).start();
        let (api, faults) = (Api::new(&cluster), cluster.faults());
        let watch_list = if random.bool() { WatchList::Yes } else { WatchList::No };
        let pods = ListWatch::<Pod>::namespaced(cluster.client("default"), "default");
        let options = ReflectorOptions::new().watch_list(watch_list);
        let informer = SharedIndexInformer::builder(pods).reflector(options).build();
        let stop = CancellationToken::new();
        let running = tokio::spawn(informer.clone().run(stop.clone()));
        for _ in 0..random.usize(10..50) {
            let name = ["a", "b", "c", "d"][random.usize(0..4)];
            match random.u8(0..16) {
                0..5 => drop(api.post(PODS, &pod(name, &json!({}))).await),
                5..9 => {
                    let labels = json!({"metadata": {"labels": {"n": random.u32(..).to_string()}}});
                    api.merge(&format!("{PODS}/{name}"), &labels).await;
                }
                9..11 => drop(api.delete(&format!("{PODS}/{name}")).await),
                11..14 => faults.start(FAULTS[random.usize(0..FAULTS.len())].parse().unwrap()),
                _ => sleep(Duration::from_millis(random.u64(0..8000))).await,
            }
        }
        faults.end_all();
        // Only a list reveals hidden events. So a pod is created while no watch runs, and the history is compacted: the
        // next watch from an earlier revision gets 410, and the informers list.
        start(&cluster, "500:verb=watch,for=10ms");
        start(&cluster, "drop-watches");
        api.pod("last", &json!({})).await;
        start(&cluster, "compact");
        sleep(Duration::from_secs(120)).await; // the back-off may be up to half a minute
        assert_eq!(api.get(PODS).await.status, 200);
        let server = identities(&api.get(PODS).await.body);
        let cached: BTreeMap<_, _> = informer.reader().list().iter().map(|pod| identity(pod)).collect();
        assert_eq!(cached, server, "seed {seed}");
        stop.cancel();
        running.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}

fn identity(pod: &Pod) -> (String, String) {
    (pod.metadata.name.clone().unwrap(), pod.metadata.resource_version.clone().unwrap())
}
