//! Replays the requests that kubectl sent to a real API server, command by command, and compares the status and the
//! content type of each answer.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, ManagedFields};
use serde_json::Value;

use crate::client::Server;

/// A request whose status is not compared with the recorded one, but must be `status`. An empty text matches every
/// request.
struct Exception {
    /// The beginning or the end of the path.
    path: &'static str,
    /// A text in the content type.
    content_type: &'static str,
    /// A text in the body.
    body: &'static str,
    status: u16,
    #[allow(dead_code, reason = "documents the table")]
    reason: &'static str,
}

/// The time limit for reading an answer. The log of a followed container has no end.
const LONGEST: Duration = Duration::from_secs(10);
const STREAMS: &str = "this server knows this subresource of pods, but has no containers to connect to";

const EXCEPTIONS: &[Exception] = &[
    Exception {
        path: "",
        content_type: "apply-patch",
        body: "",
        status: 415,
        reason: "server-side apply is switched off in this test",
    },
    Exception { path: "/scale", content_type: "", body: "", status: 200, reason: "this server can scale replica sets" },
    Exception { path: "/log", content_type: "", body: "", status: 200, reason: "this server has pod logs" },
    Exception { path: "/exec", content_type: "", body: "", status: 501, reason: STREAMS },
    Exception { path: "/attach", content_type: "", body: "", status: 501, reason: STREAMS },
    Exception { path: "/portforward", content_type: "", body: "", status: 501, reason: STREAMS },
    Exception {
        path: "/apis/authorization.k8s.io/v1/",
        content_type: "",
        body: "",
        status: 201,
        reason: "this server answers access reviews: everything is allowed",
    },
    Exception {
        path: "",
        content_type: "json-patch",
        body: "/metadata/managedFields",
        status: 422,
        reason: "managed fields are off in this test, so there are none to replace",
    },
];

fn exception(path: &str, content_type: &str, body: &str) -> Option<&'static Exception> {
    let fits = |row: &&Exception| {
        (path.starts_with(row.path) || path.ends_with(row.path))
            && content_type.contains(row.content_type)
            && body.contains(row.body)
    };
    EXCEPTIONS.iter().find(fits)
}

/// Replays all commands. Returns the number of requests and the differences.
pub async fn replay(commands: &[Value]) -> (usize, Vec<String>) {
    // Managed fields are off, so server-side apply is refused; `EXCEPTIONS` has the requests that this concerns.
    let cluster = Cluster::builder().managed_fields(ManagedFields::Off).start();
    let mut server = Server::plain(cluster);
    let mut etags: BTreeMap<String, String> = BTreeMap::new();
    let (mut compared, mut problems) = (0, Vec::new());
    for command in commands {
        for request in command["requests"].as_array().unwrap() {
            let problem = replay_one(&server, request, &mut etags).await;
            compared += 1;
            problems.extend(problem.map(|problem| format!("{}: {problem}", command["command"])));
        }
        // The recording program waited for the effects of each command before the next one.
        server.cluster.settled().await;
    }
    server.bump().await; // the server still accepts writes
    server.cluster.shutdown().await;
    (compared, problems)
}

/// Sends one request, and returns the difference of its answer from the recorded one.
async fn replay_one(server: &Server, request: &Value, etags: &mut BTreeMap<String, String>) -> Option<String> {
    let text = |field: &str| request[field].as_str().unwrap_or_default();
    let (path, content_type) = (text("path"), text("content-type"));
    let exception = exception(path, content_type, &request["body"].to_string());
    let revision = server.revision().await.to_string();
    let query = text("query")
        .replace("<rv>", &revision)
        .replace("<n>", "2")
        .replace("<uid>", "00000000-0000-0000-0000-000000000000")
        .replace("<hash>", &hash(server, path).await);
    let mut headers = vec![("accept".to_owned(), text("accept").to_owned())];
    if !content_type.is_empty() {
        headers.push(("content-type".into(), content_type.into()));
    }
    if !text("connection").is_empty() {
        let protocol = if text("method") == "GET" { "websocket" } else { "SPDY/3.1" };
        headers.extend([("connection".into(), text("connection").into()), ("upgrade".into(), protocol.into())]);
    }
    if request["if-none-match"].is_string() {
        headers.push(("if-none-match".into(), etags.get(path).cloned().unwrap_or_default()));
    }
    let body = match &request["body"] {
        Value::Null => Vec::new(),
        // A body that is not JSON is recorded with one character for each byte.
        Value::String(text) => text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect(),
        value => with_revision(server, path, value).await.to_string().into_bytes(),
    };
    let uri = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
    let answer = server.send(text("method"), &uri, &headers, Body::from(body)).await;
    let header =
        |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    let (status, found, etag) = (answer.status().as_u16(), header("content-type"), header("etag"));
    if !etag.is_empty() {
        etags.insert(path.to_owned(), etag);
    }
    // A recorded watch ends after two seconds; a followed log never ends.
    let body = tokio::time::timeout(LONGEST, answer.into_body().collect()).await;
    let body = body.map(|body| body.unwrap().to_bytes()).unwrap_or_default();
    let expected = exception.map_or(request["status"].as_u64(), |row| Some(row.status.into()));
    let wrong = expected != Some(status.into()) || (exception.is_none() && text("responseContentType") != found);
    wrong.then(|| {
        let body = String::from_utf8_lossy(&body).chars().take(300).collect::<String>();
        format!("{} {uri}: {expected:?} {} but {status} {found}: {body}", text("method"), text("responseContentType"))
    })
}

/// Returns the hash in the URL that the OpenAPI index gives for a document.
async fn hash(server: &Server, path: &str) -> String {
    let Some(name) = path.strip_prefix("/openapi/v3/") else { return String::new() };
    let index = server.get("/openapi/v3").await.unwrap();
    let url = index["paths"][name]["serverRelativeURL"].as_str().unwrap();
    url.split_once("?hash=").unwrap().1.to_owned()
}

/// Replaces a recorded resourceVersion in the body by the current one of the object.
async fn with_revision(server: &Server, path: &str, body: &Value) -> Value {
    let mut body = body.clone();
    if body["metadata"]["resourceVersion"].is_string()
        && let Some(current) = server.get(path).await
    {
        body["metadata"]["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
    }
    body
}
