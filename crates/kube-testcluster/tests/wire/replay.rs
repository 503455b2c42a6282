//! Replays one file, request by request.

use std::time::Duration;

use axum::body::Body;
use http::HeaderMap;
use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::client::{PODS, Server, Watch, pod};
use crate::compare::{Comparison, cut};
use crate::differences::Differences;
use crate::hidden::Hidden;
use crate::placeholders::{Bindings, rvs};
use crate::recording::Recording;

/// The headers that a client acts on. (The others belong to the connection.)
const HEADERS: [&str; 9] = [
    "etag",
    "content-type",
    "cache-control",
    "retry-after",
    "warning",
    "vary",
    "content-encoding",
    "location",
    "allow",
];

/// What the recorded server did not serve and this one does: only tried here, so that what follows finds the same state.
const ONLY_TRIED: &str = "/api/v1/namespaces/default/pods/alpha/eviction";

/// A record, replayed.
pub struct Replayed {
    pub name: String,
    /// What is not as it was recorded.
    pub problems: Vec<String>,
    /// Were objects written before the request, since the answer shows them? What the recorder did between the records is not told.
    pub is_set_up: bool,
}

/// Replays a file against a new cluster.
pub async fn replay(file: &Recording, differences: &mut Differences) -> Vec<Replayed> {
    let text: String = file.records.iter().map(Value::to_string).collect();
    let refuses = text.contains("unless the WatchList feature gate is enabled");
    let mut server = Server::start(Cluster::builder().watch_list(!refuses)).await;
    let mut bindings = Bindings::default();
    // In a complete recording every write is a record: nothing is looked for, and nothing is prepared.
    let mut hidden = (!file.is_complete).then(|| Hidden::find(file));
    if let Some(hidden) = &mut hidden {
        hidden.recognise(&server, &mut bindings);
    }
    let mut results = Vec::new();
    for record in &file.records {
        let name = record["name"].as_str().unwrap().to_owned();
        let before = server.revision().await;
        match &mut hidden {
            Some(hidden) => hidden.prepare(&mut server, &mut bindings, record).await,
            None => bind_future(&server, &mut bindings, record).await,
        }
        let is_set_up = server.revision().await != before;
        let request = record["request"].to_string();
        let mut meant = |place: &str, what: &str| differences.meant(&request, place, what);
        let mut comparison = Comparison { bindings: &mut bindings, meant: &mut meant, problems: Vec::new() };
        one(&server, &mut comparison, record).await;
        let problems = comparison.problems;
        results.push(Replayed { name, problems, is_set_up });
    }
    server.cluster.shutdown().await;
    results
}

/// A request may name a revision that no answer has shown: one that is far from reached.
async fn bind_future(server: &Server, bindings: &mut Bindings, record: &Value) {
    for number in rvs(&record["request"].to_string()) {
        if !bindings.rvs.contains_key(&number) {
            bindings.bind(number, server.revision().await + 100_000);
        }
    }
}

async fn one(server: &Server, comparison: &mut Comparison<'_>, record: &Value) {
    let (request, response) = (&record["request"], &record["response"]);
    let method = request["method"].as_str().unwrap();
    let mut path = comparison.bindings.fill(request["path"].as_str().unwrap()).replace(' ', "%20");
    if path == ONLY_TRIED {
        path.push_str("?dryRun=All");
    }
    let headers: Vec<(String, String)> = request["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| {
            let value = value.as_str().unwrap();
            let etag = comparison.bindings.etags.get(value).cloned();
            (name.clone(), etag.unwrap_or_else(|| comparison.bindings.fill(value)))
        })
        .collect();
    let body = match &request["body"] {
        Value::Null => String::new(),
        Value::String(text) => comparison.bindings.fill(text),
        value => fill(comparison.bindings, value).to_string(),
    };
    let answer = server.send(method, &path, &headers, Body::from(body)).await;
    let (parts, body) = answer.into_parts();
    if json!(parts.status.as_u16()) != response["status"] {
        comparison.differ("HTTP status", format!("{} but {}", response["status"], parts.status));
    }
    compare_headers(comparison, &response["headers"], &parts.headers);
    if let Some(events) = response.get("events") {
        let mut watch = Watch::new(body);
        run_watch(server, record, &mut watch).await;
        if let Some(events) = events.as_array() {
            compare_events(comparison, events, &watch.events);
        }
        if (response["closedBy"] == "server") != watch.ended {
            comparison.differ("/closedBy", format!("{} but {}", response["closedBy"], watch.ended));
        }
    } else {
        use http_body_util::BodyExt;
        let bytes = body.collect().await.unwrap().to_bytes();
        let expected = &response["body"];
        let actual = if expected == "gzip" || expected == "plain" {
            if parts.headers.contains_key("content-encoding") { "gzip".into() } else { "plain".into() }
        } else {
            cut(expected, decode(&parts.headers, &bytes))
        };
        comparison.compare("", expected, &actual);
    }
}

fn fill(bindings: &Bindings, value: &Value) -> Value {
    match value {
        Value::String(text) => bindings.fill(text).into(),
        Value::Array(items) => items.iter().map(|item| fill(bindings, item)).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), fill(bindings, value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

/// As the recorder decoded it.
fn decode(headers: &HeaderMap, body: &[u8]) -> Value {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if header("content-type").contains("json")
        && let Ok(value) = serde_json::from_slice(body)
    {
        return value;
    }
    if body.starts_with(b"k8s\0") {
        return json!({"protobuf": true, "firstBytesHex": "6b387300"});
    }
    String::from_utf8_lossy(body).into_owned().into()
}

fn compare_headers(comparison: &mut Comparison<'_>, expected: &Value, actual: &HeaderMap) {
    for name in HEADERS {
        let value = actual.get(name).map(|value| value.to_str().unwrap());
        let (expected, actual) = (expected[name].as_str(), value);
        if let ("etag", Some(expected), Some(actual)) = (name, expected, actual) {
            if !comparison.bindings.bind_etag(expected, actual) {
                comparison.differ("/headers/etag", format!("one ETag was {expected}, here {actual}"));
            }
            continue;
        }
        match (expected, actual) {
            (Some(expected), Some(actual)) if comparison.bindings.matches(expected, actual) => {}
            (None, None) => {}
            (expected, actual) => {
                comparison.differ(&format!("/headers/{name}"), format!("{expected:?} but {actual:?}"))
            }
        }
    }
}

fn compare_events(comparison: &mut Comparison<'_>, expected: &[Value], actual: &[Value]) {
    // A second bookmark soon after the first one depends on timing.
    let soon = expected.last().filter(|event| expected.len() == actual.len() + 1 && event["type"] == "BOOKMARK");
    if let Some(event) = soon.filter(|event| event["object"]["metadata"]["annotations"].is_null()) {
        comparison.differ("/events", format!("a bookmark by chance: {event}"));
    } else if expected.len() != actual.len() {
        let short = |events: &[Value]| -> Vec<String> {
            let name = |event: &Value| event["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            events.iter().map(|event| format!("{} {}", event["type"].as_str().unwrap_or("?"), name(event))).collect()
        };
        comparison.differ("/events", format!("{:?} but {:?}", short(expected), short(actual)));
    }
    for (i, (expected, actual)) in expected.iter().zip(actual).enumerate() {
        comparison.compare(&format!("/events/{i}"), expected, actual);
    }
}

/// Reads a watch as long as the recorder did, and performs the recorder's actions meanwhile.
async fn run_watch(server: &Server, record: &Value, watch: &mut Watch) {
    watch.read_for(Duration::from_millis(400)).await;
    for action in record["duringWatch"].as_array().into_iter().flatten() {
        act(server, record, action.as_str().unwrap()).await;
        watch.read_for(Duration::from_millis(150)).await;
    }
    let closed = record["response"]["closedAfterSeconds"].as_f64();
    watch.read_for(Duration::from_secs_f64(closed.map_or(1.0, |seconds| seconds + 5.0))).await;
}

/// One action of the recorder during a watch.
async fn act(server: &Server, record: &Value, action: &str) {
    let words: Vec<&str> = action.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    let after = |word: &str| -> Value {
        let (_, text) = action.split_once(word).unwrap();
        serde_json::from_str(text).unwrap()
    };
    let events = record["response"]["events"].as_array().unwrap();
    match words.as_slice() {
        ["POST", "pod", name, "labels", ..] => drop(server.write("POST", PODS, &pod(name, &after("labels "))).await),
        ["POST", "configmap", name] => {
            let path = "/api/v1/namespaces/default/configmaps";
            server.write("POST", path, &json!({"metadata": {"name": name}})).await;
        }
        ["POST", "event"] => {
            let mut event = events[0]["object"].clone();
            event["metadata"] = json!({"name": event["metadata"]["name"]});
            server.write("POST", "/api/v1/namespaces/default/events", &event).await;
        }
        ["merge", "patch", name, "labels", ..] => {
            let labels = after("labels ");
            server.write("PATCH", &format!("{PODS}/{name}"), &json!({"metadata": {"labels": labels}})).await;
        }
        ["merge", "patch", name] => {
            let object = |event: &Value| match &event["object"]["rows"] {
                Value::Array(rows) => rows[0]["object"].clone(),
                _ => event["object"].clone(),
            };
            let changed = |event: &&Value| event["type"] == "MODIFIED" && object(event)["metadata"]["name"] == *name;
            let labels = events.iter().find(changed).map(|event| object(event)["metadata"]["labels"].clone());
            let patch = json!({"metadata": {"labels": labels.unwrap()}});
            server.write("PATCH", &format!("{PODS}/{name}"), &patch).await;
        }
        ["DELETE", name] => drop(server.write("DELETE", &format!("{PODS}/{name}"), &Value::Null).await),
        ["DELETE", name, parameter] => {
            drop(server.write("DELETE", &format!("{PODS}/{name}?{parameter}"), &Value::Null).await);
        }
        ["PUT", "status", "of", name, "Running"] => server.run(name).await,
        _ => panic!("the recorder did something unknown: {action}"),
    }
}
