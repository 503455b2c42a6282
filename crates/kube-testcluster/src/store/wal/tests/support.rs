//! A cluster on a simulated disk, and requests to it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream};
use futures::StreamExt;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::Service;

use super::super::simulated_disk::SimulatedDisk;
use super::super::{DataError, Folder};
use crate::{Cluster, ClusterBuilder, Controllers, Stages};

pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns the seeds with which a test checks its property: `usual` of them, or `SEEDS` times as many
/// (.ci/jobs/seeds).
pub(super) fn seeds(usual: u64) -> Range<u64> {
    0..usual * std::env::var("SEEDS").map_or(1, |times| times.parse().expect("SEEDS is a number"))
}

/// Returns the builder of a cluster that has few objects, writes nothing by itself, and drops no history by age.
pub(super) fn builder() -> ClusterBuilder {
    let builder = Cluster::builder().nodes(1).stages(Stages::none()).controllers(Controllers::None);
    builder.history_age(Duration::MAX).started_at("2023-05-01T10:00:00Z".parse().unwrap())
}

pub(super) fn start(disk: &SimulatedDisk, builder: ClusterBuilder) -> Result<Cluster, DataError> {
    builder.begin(Some(Folder::on(Arc::new(disk.clone()), None)?))
}

/// Ends a cluster and its log.
pub(super) async fn end(cluster: Cluster) {
    let store = cluster.store.clone();
    cluster.shutdown().await;
    store.log_has_ended().await;
}

#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn revision(&self) -> u64 {
        revision(&self.body)
    }
}

/// Returns the resourceVersion of an object or a list.
pub(super) fn revision(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_else(|| panic!("{object}")).parse().unwrap()
}

pub(super) async fn ask(router: &Router, method: &str, path: &str, body: &Value) -> Answer {
    let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
    let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
    let request = Request::builder().method(method).uri(path).header("content-type", content_type);
    let response = router.clone().call(request.body(body).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    Answer { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
}

pub(super) async fn get(router: &Router, path: &str) -> Answer {
    ask(router, "GET", path, &Value::Null).await
}

/// Creates a config map, with a text of this length in it.
pub(super) async fn create(router: &Router, name: &str, length: usize) -> Answer {
    let map = json!({"metadata": {"name": name}, "data": {"text": "x".repeat(length)}});
    ask(router, "POST", MAPS, &map).await
}

/// Returns the names of the config maps.
pub(super) async fn names(router: &Router) -> Vec<String> {
    let list = get(router, MAPS).await.body;
    list["items"]
        .as_array()
        .unwrap_or_else(|| panic!("{list}"))
        .iter()
        .map(|map| map["metadata"]["name"].as_str().unwrap().to_owned())
        .collect()
}

/// An open watch.
pub(super) struct Watch(BodyDataStream);

impl Watch {
    pub(super) async fn open(router: &Router, path: &str) -> Self {
        let response = router.clone().call(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
        Self(response.into_body().into_data_stream())
    }

    /// Returns the events that are there, and those of the next moment of virtual time.
    pub(super) async fn events(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        while let Ok(Some(line)) = tokio::time::timeout(Duration::from_millis(1), self.0.next()).await {
            events.push(serde_json::from_slice(&line.unwrap()).unwrap());
        }
        events
    }
}
