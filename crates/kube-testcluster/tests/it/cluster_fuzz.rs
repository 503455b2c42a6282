//! Random requests, well-formed and malformed: every response is one that Kubernetes could give.

use std::time::Duration;

use axum::body::Body;
use fastrand::Rng;
use http::Request;
use http_body_util::BodyExt;
use kube_testcluster::Era;
use serde_json::{Value, json};

use crate::support::api::{Api, PODS, pod, quiet};

const METHODS: [&str; 9] = ["GET", "GET", "GET", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD"];
const SEGMENTS: [&str; 30] = [
    "api",
    "apis",
    "v1",
    "apps",
    "namespaces",
    "default",
    "pods",
    "configmaps",
    "replicasets",
    "a",
    "b",
    "status",
    "scale",
    "binding",
    "watch",
    "events",
    "",
    ".",
    "..",
    "%2e%2e",
    "%2F",
    "%00",
    "%ff",
    "%zz",
    "%",
    "*",
    "é",
    "a;b",
    "pods%2Fa",
    "nosuch",
];
const PATHS: [&str; 10] = [
    PODS,
    "/api/v1/namespaces/default/pods/a",
    "/api/v1/namespaces/default/pods/a/status",
    "/api/v1/namespaces/default/pods/a/binding",
    "/api/v1/pods",
    "/api/v1/namespaces",
    "/api/v1/namespaces/default/configmaps/c",
    "/apis/apps/v1/namespaces/default/replicasets/r",
    "/apis/apps/v1/namespaces/default/replicasets/r/scale",
    "/api/v1/watch/namespaces/default/pods",
];
const PARAMETERS: [&str; 19] = [
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "watch",
    "timeoutSeconds",
    "sendInitialEvents",
    "allowWatchBookmarks",
    "dryRun",
    "fieldValidation",
    "gracePeriodSeconds",
    "propagationPolicy",
    "orphanDependents",
    "pretty",
    "timeout",
    "includeObject",
    "nosuch",
];
const VALUES: [&str; 42] = [
    "",
    "0",
    "1",
    "2",
    "7",
    "-1",
    "+5",
    "1e3",
    "99999999999999999999",
    "18446744073709551615",
    "9223372036854775807",
    "true",
    "false",
    "Exact",
    "NotOlderThan",
    "All",
    "Strict",
    "Warn",
    "Ignore",
    "Background",
    "Orphan",
    "5s",
    "soon",
    "Object",
    "app=web",
    "app!=web,tier",
    "app in (a,b)",
    "!app",
    "app notin ()",
    "x,y,,z",
    "((",
    "a=b=c",
    "metadata.name=a",
    "metadata.namespace=default,status.phase!=Running",
    "spec.nodeName==",
    "nosuch=1",
    "app>1",
    "%ff",
    "%zz",
    "a;b",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6Mywic3RhcnQiOiJhXHUwMDAwIn0",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYiJ9",
];
const CONTENT_TYPES: [&str; 9] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
    "text/plain",
    "",
];
const ACCEPTS: [&str; 7] = [
    "application/json",
    "*/*",
    "",
    "application/yaml",
    "application/vnd.kubernetes.protobuf,application/json",
    "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
];

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(0..from.len())]
}

fn path(random: &mut Rng) -> String {
    let mut path = pick(random, &PATHS).to_owned();
    match random.u8(0..8) {
        0 => path = (0..random.usize(0..9)).map(|_| format!("/{}", pick(random, &SEGMENTS))).collect(),
        1 => path = format!("{path}/{}", pick(random, &SEGMENTS)),
        2 => {
            let mut parts: Vec<&str> = path.split('/').collect();
            let at = random.usize(1..parts.len());
            parts[at] = pick(random, &SEGMENTS);
            path = parts.join("/");
        }
        _ => {}
    }
    if path.is_empty() { "/".to_owned() } else { path }
}

fn query(random: &mut Rng) -> String {
    let parameter = |random: &mut Rng| {
        let value = pick(random, &VALUES).replace(' ', "+").replace('#', "");
        format!("{}={value}", pick(random, &PARAMETERS))
    };
    let count = random.usize(0..4).saturating_sub(1);
    (0..count).map(|_| parameter(random)).collect::<Vec<_>>().join("&")
}

/// Random JSON that contains words with a meaning for the server.
fn value(random: &mut Rng, depth: usize) -> Value {
    const WORDS: [&str; 34] = [
        "metadata",
        "name",
        "namespace",
        "labels",
        "annotations",
        "finalizers",
        "uid",
        "resourceVersion",
        "generateName",
        "spec",
        "containers",
        "image",
        "env",
        "ports",
        "containerPort",
        "volumes",
        "status",
        "phase",
        "conditions",
        "type",
        "ownerReferences",
        "replicas",
        "selector",
        "matchLabels",
        "template",
        "data",
        "kind",
        "apiVersion",
        "$patch",
        "$retainKeys",
        "$setElementOrder/containers",
        "$deleteFromPrimitiveList/finalizers",
        "deletionTimestamp",
        "nodeName",
    ];
    const TEXTS: [&str; 14] =
        ["", "a", "b", "default", "Pod", "v1", "delete", "replace", "merge", "Running", "Ünïcode\0", "0", "7", "1Gi"];
    match random.u8(0..if depth == 0 { 5 } else { 9 }) {
        0 => Value::Null,
        1 => random.bool().into(),
        2 => [json!(0), json!(-1), json!(7), json!(1.5), json!(u64::MAX), json!(i64::MIN)][random.usize(0..6)].clone(),
        3 | 4 => pick(random, &TEXTS).into(),
        5 | 6 => (0..random.usize(0..4)).map(|_| value(random, depth - 1)).collect(),
        _ => object(random, &WORDS, depth),
    }
}

fn object(random: &mut Rng, words: &[&str], depth: usize) -> Value {
    let fields = (0..random.usize(0..5)).map(|_| (pick(random, words).to_owned(), value(random, depth - 1)));
    Value::Object(fields.collect())
}

/// A valid object with random values in some places.
fn changed(random: &mut Rng, mut base: Value) -> Value {
    for _ in 0..random.usize(0..4) {
        let depth = random.usize(1..5);
        change(random, &mut base, depth);
    }
    base
}

fn change(random: &mut Rng, place: &mut Value, depth: usize) {
    match place {
        Value::Object(fields) if !fields.is_empty() && depth > 0 => {
            let at = random.usize(0..fields.len());
            change(random, fields.values_mut().nth(at).unwrap(), depth - 1);
        }
        Value::Array(items) if !items.is_empty() && depth > 0 => {
            let at = random.usize(0..items.len());
            change(random, &mut items[at], depth - 1);
        }
        _ => *place = value(random, 3),
    }
}

fn operations(random: &mut Rng) -> Value {
    const OPERATIONS: [&str; 7] = ["add", "remove", "replace", "move", "copy", "test", "frob"];
    const POINTERS: [&str; 12] = [
        "",
        "/",
        "a",
        "/metadata",
        "/metadata/labels",
        "/metadata/labels/x",
        "/metadata/name",
        "/spec/containers/0",
        "/spec/containers/-",
        "/spec/containers/99",
        "/spec/containers/01",
        "/metadata/a~1b~0c",
    ];
    let operation = |random: &mut Rng| {
        let (op, path, from) = (pick(random, &OPERATIONS), pick(random, &POINTERS), pick(random, &POINTERS));
        let operation = json!({"op": op, "path": path, "from": from, "value": value(random, 2)});
        changed(random, operation)
    };
    (0..random.usize(0..4)).map(|_| operation(random)).collect()
}

fn body(random: &mut Rng) -> Vec<u8> {
    let replica_set = json!({
        "metadata": {"name": "r"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}},
    });
    let base = match random.u8(0..8) {
        0 => replica_set,
        1 => json!({"metadata": {"name": "c"}, "data": {"k": "v"}}),
        2 => json!({"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "dryRun": ["All"],
            "propagationPolicy": "Background", "preconditions": {"uid": "u", "resourceVersion": "7"}}),
        3 => json!({"metadata": {"name": "a"}, "target": {"kind": "Node", "name": "node-1"}}),
        4 => value(random, 5),
        5 => operations(random),
        6 => json!({"metadata": {"labels": {"x": "y"}}, "spec": {"replicas": 3}}),
        _ => pod("a", &json!({"app": "web"})),
    };
    let mut bytes = changed(random, base).to_string().into_bytes();
    match random.u8(0..8) {
        0 => bytes.truncate(random.usize(0..=bytes.len())),
        1 => {
            let at = random.usize(0..bytes.len());
            bytes[at] = random.u8(..);
        }
        2 => {
            bytes = [b"k8s\0".as_slice(), &(0..random.usize(0..40)).map(|_| random.u8(..)).collect::<Vec<_>>()].concat()
        }
        _ => {}
    }
    bytes
}

/// Whether an answer is one of upstream's: an object or a list, a Status that says what its code says, or the few words
/// of Go's HTTP server.
fn check(status: u16, content_type: &str, body: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(body);
    if content_type.starts_with("text/plain") {
        let known =
            matches!((status, text.as_ref()), (404, "404 page not found\n") | (400, "400 Bad Request") | (200, "ok"));
        return if known { Ok(()) } else { Err(text.into_owned()) };
    }
    if status < 400 || !content_type.starts_with("application/json") {
        return Ok(());
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| format!("{error}: {text}"))?;
    let form = (&value["kind"], &value["apiVersion"], &value["status"], &value["code"]);
    if form != (&json!("Status"), &json!("v1"), &json!("Failure"), &json!(status)) {
        return Err(text.into_owned());
    }
    let message = value["message"].as_str().filter(|message| !message.is_empty()).ok_or("no message")?;
    let reason = value["reason"].as_str().unwrap_or_default();
    // Upstream does not classify its 500s either.
    let unclassified =
        ["strconv.ParseUint: ", "resourceVersion should not be set", "resourceVersion: Invalid value: ", "target."];
    match status {
        500 if reason.is_empty() && unclassified.iter().any(|known| message.contains(known)) => Ok(()),
        504 if reason == "Timeout" => Ok(()),
        400..500 if !reason.is_empty() => Ok(()),
        _ => Err(text.into_owned()),
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_is_sent_is_answered_as_kubernetes_answers() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in 0..30 {
        let mut random = Rng::with_seed(seed);
        let era = if random.bool() { Era::Modern } else { Era::Classic };
        let api = Api::new(&quiet().seed(seed).era(era).start());
        api.pod("a", &json!({"app": "web"})).await;
        for case in 0..200 {
            let (method, path, query) = (pick(&mut random, &METHODS), path(&mut random), query(&mut random));
            let usual = if method == "PATCH" { &CONTENT_TYPES[3..6] } else { &CONTENT_TYPES[..1] };
            let content_type = pick(&mut random, if case % 4 == 0 { &CONTENT_TYPES } else { usual });
            let accept = pick(&mut random, &ACCEPTS);
            let bytes = body(&mut random);
            let shown = format!(
                "seed {seed}, case {case}: {method} {path}?{query} ({content_type}; {accept})\n{}",
                String::from_utf8_lossy(&bytes)
            );
            let request = Request::builder().method(method).uri(format!("{path}?{query}"));
            let request = request.header("content-type", content_type).header("accept", accept);
            let Ok(request) = request.body(Body::from(bytes)) else { continue }; // no client could send it
            let (parts, body) = api.raw(request).await.into_parts();
            let content_type = parts.headers.get("content-type").map_or("", |value| value.to_str().unwrap());
            let status = parts.status.as_u16();
            if method == "HEAD" || status == 304 {
                continue;
            }
            // An accepted watch does not end by itself, so it is read only for a moment.
            let Ok(body) = tokio::time::timeout(Duration::from_millis(1), body.collect()).await else { continue };
            let body = body.unwrap().to_bytes();
            if let Err(problem) = check(status, content_type, &body) {
                panic!("{shown}\n{status} {content_type}: {problem}");
            }
            if status < 400 { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(refused > 500 && accepted > 400, "{refused} refused, {accepted} accepted: both are worth trying");
}
