//! The cluster that one recording is replayed against, and a client for it.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream, Bytes};
use futures::StreamExt;
use http::Request;
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, ClusterBuilder, Controllers, Stages};
use serde_json::{Value, json};
use tower::Service;

pub const PODS: &str = "/api/v1/namespaces/default/pods";

pub struct Server {
    pub cluster: Cluster,
    router: Router,
    /// The number of calls of [`bump`](Self::bump).
    bumps: u32,
}

pub struct Answer {
    pub status: u16,
    pub body: Bytes,
}

impl Server {
    /// Wraps a cluster without adding objects.
    pub fn plain(cluster: Cluster) -> Self {
        let router = cluster.router();
        Self { cluster, router, bumps: 0 }
    }

    /// Starts a cluster with the objects that every recording begins with.
    pub async fn start(builder: ClusterBuilder) -> Self {
        let server = Self::plain(builder.controllers(Controllers::None).stages(Stages::none()).start());
        let labels = [
            ("alpha", json!({"app": "web", "tier": "front"})),
            ("beta", json!({"app": "web"})),
            ("gamma", json!({"app": "db"})),
            ("delta", Value::Null),
        ];
        for (name, labels) in labels {
            server.write("POST", PODS, &pod(name, &labels)).await;
        }
        let binding = json!({"metadata": {"name": "alpha"}, "target": {"kind": "Node", "name": "node-1"}});
        server.write("POST", &format!("{PODS}/alpha/binding"), &binding).await;
        server.write("PATCH", &format!("{PODS}/alpha/status"), &running()).await;
        server
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Body,
    ) -> http::Response<Body> {
        let mut request = Request::builder().method(method).uri(path).header("user-agent", "wire-recorder");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request.body(body).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        self.router.clone().call(request).await.unwrap()
    }

    pub async fn ask(&self, method: &str, path: &str, headers: &[(String, String)], body: Body) -> Answer {
        let (parts, body) = self.send(method, path, headers, body).await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status.as_u16(), body }
    }

    pub async fn write(&self, method: &str, path: &str, body: &Value) {
        self.try_write(method, path, body).await.unwrap_or_else(|refused| panic!("{refused}"));
    }

    /// Sends a write.
    ///
    /// # Errors
    /// The request and the answer, if the server refuses it.
    pub async fn try_write(&self, method: &str, path: &str, body: &Value) -> Result<(), String> {
        let format = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let headers = [("content-type".to_owned(), format.to_owned())];
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let answer = self.ask(method, path, &headers, body).await;
        let text = || String::from_utf8_lossy(&answer.body).into_owned();
        if answer.status < 300 { Ok(()) } else { Err(format!("{method} {path} is {}: {}", answer.status, text())) }
    }

    /// Returns the JSON of an answer with the code 200.
    pub async fn get(&self, path: &str) -> Option<Value> {
        let answer = self.ask("GET", path, &[], Body::empty()).await;
        serde_json::from_slice(&answer.body).ok().filter(|_| answer.status == 200)
    }

    /// Returns the current revision of the server.
    pub async fn revision(&self) -> u64 {
        let list = self.get("/api/v1/namespaces?limit=1").await.unwrap();
        list["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
    }

    /// Advances the resourceVersion by a write to a kind that occurs in no recording.
    pub async fn bump(&mut self) {
        self.bumps += 1;
        let lease = json!({"metadata": {"name": format!("bump-{}", self.bumps)}});
        self.write("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", &lease).await;
    }
}

/// Returns the status patch that the recording program sent for running pods.
pub fn running() -> Value {
    json!({"status": {
        "phase": "Running", "podIP": "198.51.100.7", "podIPs": [{"ip": "198.51.100.7"}],
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [{
            "name": "main", "image": "nginx:1.27", "imageID": "", "ready": true, "restartCount": 0,
            "state": {"running": {}}, "lastState": {},
        }],
    }})
}

pub fn pod(name: &str, labels: &Value) -> Value {
    let mut metadata = json!({"name": name});
    if !labels.is_null() {
        metadata["labels"] = labels.clone();
    }
    let spec = json!({"containers": [{"name": "main", "image": "nginx:1.27"}]});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
}

/// A client of a watch that collects events for a limited time, as the recording program did.
pub struct Watch {
    stream: BodyDataStream,
    buffer: Vec<u8>,
    pub events: Vec<Value>,
    pub ended: bool,
}

impl Watch {
    pub fn new(body: Body) -> Self {
        Self { stream: body.into_data_stream(), buffer: Vec::new(), events: Vec::new(), ended: false }
    }

    pub async fn read_for(&mut self, time: Duration) {
        let deadline = tokio::time::Instant::now() + time;
        while !self.ended {
            match tokio::time::timeout_at(deadline, self.stream.next()).await {
                Err(_) => return,
                Ok(None) => self.ended = true,
                Ok(Some(bytes)) => self.buffer.extend_from_slice(&bytes.unwrap()),
            }
            while let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                // A line that is not JSON becomes null, which differs from every recorded event.
                self.events.push(serde_json::from_slice(&line).unwrap_or(Value::Null));
            }
        }
    }
}
