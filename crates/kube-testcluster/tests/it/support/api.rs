//! A raw HTTP client for tests: it sends requests exactly as given and returns answers exactly as they come.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream};
use futures::StreamExt;
use http::{Request, Response};
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, ClusterBuilder, Controllers, Stages};
use serde_json::{Value, json};
use tower::Service;

pub const PODS: &str = "/api/v1/namespaces/default/pods";

/// Returns the builder of a cluster without kubelet activity and without workload controllers, whose clock starts at a
/// fixed time.
pub fn quiet() -> ClusterBuilder {
    let builder = Cluster::builder().stages(Stages::none()).controllers(Controllers::Housekeeping);
    builder.started_at("2023-05-01T10:00:00Z".parse().unwrap())
}

#[derive(Clone)]
pub struct Api(Router);

pub struct Answer {
    pub status: u16,
    pub headers: http::HeaderMap,
    pub body: Value,
}

impl Api {
    pub fn new(cluster: &Cluster) -> Self {
        Self(cluster.router())
    }

    pub fn from_router(router: Router) -> Self {
        Self(router)
    }

    /// Sends a request and returns the answer with its unread body.
    pub async fn raw(&self, request: Request<Body>) -> Response<Body> {
        self.0.clone().call(request).await.unwrap()
    }

    /// Sends a request. An empty content type stands for none.
    pub async fn send(&self, method: &str, path: &str, content_type: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        self.answer(request.body(body.into()).unwrap()).await
    }

    /// Sends a request and reads the answer. A body that is not JSON becomes a JSON string.
    pub async fn answer(&self, request: Request<Body>) -> Answer {
        let response = self.raw(request).await;
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(text));
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, "", "").await
    }

    pub async fn items(&self, path: &str) -> Vec<Value> {
        self.get(path).await.body["items"].as_array().unwrap().clone()
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, "application/json", body.to_string()).await
    }

    /// Creates an object, and returns it as the server has stored it.
    pub async fn created(&self, path: &str, object: &Value) -> Value {
        let answer = self.post(path, object).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.body
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, "application/json", body.to_string()).await
    }

    pub async fn merge(&self, path: &str, patch: &Value) -> Answer {
        self.send("PATCH", path, "application/merge-patch+json", patch.to_string()).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, "", "").await
    }

    /// Returns an object or a collection as the table that `kubectl get` requests.
    pub async fn table(&self, path: &str) -> Value {
        let request = Request::get(path).header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
        let response = self.raw(request.body(Body::empty()).unwrap()).await;
        serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap()
    }

    /// Creates a pod with labels in `default` and returns its resourceVersion.
    pub async fn pod(&self, name: &str, labels: &Value) -> u64 {
        let answer = self.post(PODS, &pod(name, labels)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.version()
    }

    /// Sets labels of a pod in `default` and returns its resourceVersion.
    pub async fn label(&self, name: &str, labels: &Value) -> u64 {
        let answer = self.merge(&format!("{PODS}/{name}"), &json!({"metadata": {"labels": labels}})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.version()
    }

    pub async fn bind(&self, name: &str) {
        let binding = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": "node-1"}});
        assert_eq!(self.post(&format!("{PODS}/{name}/binding"), &binding).await.status, 201);
    }

    /// Watches the pods in `default` with this query in addition to `watch=true`.
    pub async fn watch(&self, query: &str) -> Watch {
        self.watch_at(&format!("{PODS}?watch=true&{query}")).await
    }

    pub async fn watch_at(&self, path: &str) -> Watch {
        let response = self.raw(Request::get(path).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), 200);
        Watch { stream: response.into_body().into_data_stream(), ended: false }
    }
}

impl Answer {
    pub fn version(&self) -> u64 {
        self.body["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
    }

    pub fn names(&self) -> Vec<&str> {
        self.body["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
    }

    pub fn warnings(&self) -> Vec<&str> {
        self.headers.get_all("warning").iter().map(|text| text.to_str().unwrap()).collect()
    }

    pub fn message(&self) -> &str {
        self.body["message"].as_str().unwrap()
    }
}

pub struct Watch {
    stream: BodyDataStream,
    /// True once the stream has ended.
    pub ended: bool,
}

impl Watch {
    /// Returns the next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Value> {
        let line = self.stream.next().await;
        self.ended = line.is_none();
        let line = line?.unwrap();
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1, "each event is one line");
        Some(serde_json::from_slice(&line).unwrap())
    }

    /// Returns the events that are ready, and those that arrive within 10 milliseconds of virtual time.
    pub async fn events(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(10), self.next()).await {
            events.push(event);
        }
        events
    }

    /// Like [`events`](Self::events), in short form: `ADDED alpha`.
    pub async fn short_events(&mut self) -> Vec<String> {
        self.events().await.iter().map(short).collect()
    }
}

/// Returns an event in short form: `ADDED alpha`, or only its type if the object has no name.
pub fn short(event: &Value) -> String {
    let name = event["object"]["metadata"]["name"].as_str().unwrap_or_default();
    format!("{} {name}", event["type"].as_str().unwrap()).trim_end().to_owned()
}

pub fn version(event: &Value) -> u64 {
    event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

pub fn pod(name: &str, labels: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "main", "image": "nginx:1.27"}]},
    })
}

/// Returns the path of a pod in `default`, or of its subresource: `alpha/status`.
pub fn item(name: &str) -> String {
    format!("{PODS}/{name}")
}
