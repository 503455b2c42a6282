//! Replays one recording against a new cluster, request by request.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http::HeaderMap;
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, ManagedFields};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::actions::act;
use crate::client::{Server, Watch};
use crate::compare::{Comparison, cut};
use crate::differences::Differences;
use crate::placeholders::{Bindings, rvs};
use crate::recording::Recording;

/// The headers that clients act on. All other headers belong to the connection.
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

/// A path that the recorded server did not have. It is requested as a dry run, because a real eviction would change the
/// state that the later records expect.
const ONLY_TRIED: &str = "/api/v1/namespaces/default/pods/alpha/eviction";

/// The result of replaying one record.
pub struct Replayed {
    pub name: String,
    /// The differences from the record.
    pub problems: Vec<String>,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Bytes,
    /// The events of a watch, and true if the server ended it.
    watch: Option<(Vec<Value>, bool)>,
    /// The refused writes during a watch.
    refused: Vec<String>,
}

pub async fn replay(file: &Recording, differences: &mut Differences) -> Vec<Replayed> {
    let streams = !file.records.iter().any(|record| record["server"] == "feature-gates WatchList=false");
    let mut server = Server::start(Cluster::builder().watch_list(streams).managed_fields(ManagedFields::Kept)).await;
    let mut bindings = Bindings::default();
    let mut others = file.answers.as_deref().map(Others::new);
    let mut results = Vec::new();
    for record in &file.records {
        let name = record["name"].as_str().unwrap().to_owned();
        if let Some(action) = record["server"].as_str() {
            act_on_server(&mut server, action).await;
            results.extend(others.is_none().then(|| Replayed { name, problems: Vec::new() }));
            continue;
        }
        let request = match filled(&server, &mut bindings, &record["request"]).await {
            Ok(request) => request,
            Err(problem) => {
                results.push(Replayed { name, problems: vec![problem] });
                continue;
            }
        };
        let answer = ask(&server, record, &request).await;
        let problems = compare(&mut bindings, differences, record, &answer);
        match &mut others {
            None => results.push(Replayed { name, problems }),
            Some(others) => results.extend(others.compare(differences, &name, &request, &answer)),
        }
    }
    results.extend(others.into_iter().flat_map(Others::left));
    server.cluster.shutdown().await;
    results
}

/// Repeats an action of the recording program on the server itself. After a compaction of etcd, the watch caches still
/// serve the old revisions until they notice it. Here the store and the caches are one, so the old revisions are
/// dropped at `notice`.
async fn act_on_server(server: &mut Server, action: &str) {
    match action {
        "notice" => server.cluster.compact_storage(),
        "restart" => {
            sleep(Duration::from_secs(1)).await; // the recording program waits for the next second
            server.cluster.restart();
        }
        "compact" => server.bump().await, // the compactor records the compacted revision in etcd
        "feature-gates WatchList=false" => {}
        _ => panic!("unknown action of the recorder: {action}"),
    }
}

/// Fills in the placeholders. A revision that no earlier answer shows gets a value in the far future. Fails if a later
/// revision is known already.
async fn filled(server: &Server, bindings: &mut Bindings, request: &Value) -> Result<Value, String> {
    for number in rvs(&request.to_string()) {
        let is_known = bindings.rvs.contains_key(&number) || bindings.bind(number, server.revision().await + 100_000);
        if !is_known {
            return Err(format!(
                "no earlier answer shows <rv{number}>, so an earlier write is missing: the recording is not complete \
                 (fixtures/wire/README.md)"
            ));
        }
    }
    let mut filled = fill(bindings, request);
    for value in filled["headers"].as_object_mut().unwrap().values_mut() {
        if let Some(etag) = bindings.etags.get(value.as_str().unwrap()) {
            *value = json!(etag);
        }
    }
    Ok(filled)
}

async fn ask(server: &Server, record: &Value, request: &Value) -> Answer {
    let mut path = request["path"].as_str().unwrap().replace(' ', "%20");
    if path == ONLY_TRIED {
        path.push_str("?dryRun=All");
    }
    let header = |(name, value): (&String, &Value)| (name.clone(), value.as_str().unwrap().to_owned());
    let headers: Vec<(String, String)> = request["headers"].as_object().unwrap().iter().map(header).collect();
    let body = match &request["body"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let answer = server.send(request["method"].as_str().unwrap(), &path, &headers, Body::from(body)).await;
    let (parts, body) = answer.into_parts();
    let (status, headers) = (parts.status.as_u16(), parts.headers);
    if record["response"].get("events").is_some() {
        let mut watch = Watch::new(body);
        let refused = run_watch(server, record, &mut watch).await;
        return Answer { status, headers, body: Bytes::new(), watch: Some((watch.events, watch.ended)), refused };
    }
    let body = body.collect().await.unwrap().to_bytes();
    Answer { status, headers, body, watch: None, refused: Vec::new() }
}

fn compare(bindings: &mut Bindings, differences: &mut Differences, record: &Value, answer: &Answer) -> Vec<String> {
    let response = &record["response"];
    let request = record["request"].to_string();
    let mut permitted = |place: &str, what: &str| differences.is_permitted(&request, place, what);
    let mut comparison = Comparison { bindings, permitted: &mut permitted, problems: answer.refused.clone() };
    if response["status"] != answer.status {
        comparison.differ("HTTP status", format!("{} but {}", response["status"], answer.status));
    }
    compare_headers(&mut comparison, &response["headers"], &answer.headers);
    if let Some((events, ended)) = &answer.watch {
        if let Some(expected) = response["events"].as_array() {
            compare_events(&mut comparison, &request, expected, events);
        }
        if (response["closedBy"] == "server") != *ended {
            comparison.differ("/closedBy", format!("{} but {ended}", response["closedBy"]));
        }
    } else {
        let expected = &response["body"];
        let actual = if expected == "gzip" || expected == "plain" {
            if answer.headers.contains_key("content-encoding") { "gzip".into() } else { "plain".into() }
        } else {
            cut(expected, decode(&answer.headers, &answer.body))
        };
        comparison.compare("", expected, &actual);
    }
    comparison.problems
}

/// The records of a directory whose recordings lack some writes. Each is compared with the answer to the record of the
/// same name in `fixtures/wire`.
struct Others<'a> {
    records: Vec<&'a Value>,
    bindings: Bindings,
}

impl<'a> Others<'a> {
    fn new(records: &'a [Value]) -> Self {
        Self { records: records.iter().collect(), bindings: Bindings::default() }
    }

    /// Compares an answer with the record of the same name, if there is one.
    fn compare(
        &mut self,
        differences: &mut Differences,
        name: &str,
        request: &Value,
        answer: &Answer,
    ) -> Option<Replayed> {
        let at = self.records.iter().position(|record| record["name"] == name)?;
        let record = self.records.remove(at);
        let text = record["request"].to_string();
        let mut permitted = |place: &str, what: &str| differences.is_permitted(&text, place, what);
        let mut asked = Comparison { bindings: &mut self.bindings, permitted: &mut permitted, problems: Vec::new() };
        for part in ["method", "path", "body"] {
            asked.compare(&format!("request/{part}"), &record["request"][part], &request[part]);
        }
        let mut problems = asked.problems;
        problems.extend(compare(&mut self.bindings, differences, record, answer));
        Some(Replayed { name: name.to_owned(), problems })
    }

    /// Returns the records that have no counterpart, each as a failure.
    fn left(self) -> impl Iterator<Item = Replayed> {
        self.records.into_iter().map(|record| Replayed {
            name: record["name"].as_str().unwrap().to_owned(),
            problems: vec![
                "fixtures/wire has no record of this name, so its request was not sent; if every \
                 write of the directory is a record, set WIRE_COMPLETE=1"
                    .to_owned(),
            ],
        })
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

/// Decodes a body as the recording program did.
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
        let values: Vec<&str> = actual.get_all(name).iter().map(|value| value.to_str().unwrap()).collect();
        let joined = values.join(", ");
        let (expected, actual) = (expected[name].as_str(), (!values.is_empty()).then_some(joined.as_str()));
        if let ("etag", Some(expected), Some(actual)) = (name, expected, actual) {
            if !comparison.bindings.bind_etag(expected, actual) {
                comparison.differ("/headers/etag", format!("one ETag was {expected}, here {actual}"));
            }
            continue;
        }
        match (expected, actual) {
            (Some(expected), Some(actual)) if comparison.bindings.matches(expected, actual) => {}
            (None, None) => {}
            // The recording program may have kept only the last of several values.
            (Some(expected), Some(_)) if values.len() > 1 && values.last() == Some(&expected) => {}
            (expected, actual) => {
                comparison.differ(&format!("/headers/{name}"), format!("{expected:?} but {actual:?}"))
            }
        }
    }
}

fn compare_events(comparison: &mut Comparison<'_>, request: &str, expected: &[Value], actual: &[Value]) {
    // The timing decides whether an ordinary bookmark follows soon after the first one of a streaming list.
    let by_chance = |event: &&Value| {
        let annotations = &event["object"]["metadata"]["annotations"];
        request.contains("sendInitialEvents")
            && event["type"] == "BOOKMARK"
            && annotations.is_null()
            && event["object"]["rows"].is_null()
    };
    let expected: Vec<&Value> = expected.iter().filter(|event| !by_chance(event)).collect();
    let actual: Vec<&Value> = actual.iter().filter(|event| !by_chance(event)).collect();
    if expected.len() != actual.len() {
        let short = |events: &[&Value]| -> Vec<String> {
            let name = |event: &Value| event["object"]["metadata"]["name"].as_str().unwrap_or_default().to_owned();
            events.iter().map(|event| format!("{} {}", event["type"].as_str().unwrap_or("?"), name(event))).collect()
        };
        comparison.differ("/events", format!("{:?} but {:?}", short(&expected), short(&actual)));
    }
    for (i, (expected, actual)) in expected.into_iter().zip(actual).enumerate() {
        comparison.compare(&format!("/events/{i}"), expected, actual);
    }
}

/// Reads a watch for as long as the recording program did, and repeats the recording program's writes meanwhile.
/// Returns the writes that this server refused.
async fn run_watch(server: &Server, record: &Value, watch: &mut Watch) -> Vec<String> {
    let mut refused = Vec::new();
    watch.read_for(Duration::from_millis(400)).await;
    for action in record["duringWatch"].as_array().into_iter().flatten() {
        refused.extend(act(server, action.as_str().unwrap()).await.err());
        watch.read_for(Duration::from_millis(150)).await;
    }
    // A watch that the recorded server closed is read for five seconds more than it took, to see that it ends here,
    // too.
    let closed = record["response"]["closedAfterSeconds"].as_f64();
    watch.read_for(Duration::from_secs_f64(closed.map_or(1.0, |seconds| seconds + 5.0))).await;
    refused
}
