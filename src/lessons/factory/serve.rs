//! Lesson `factory --serve`: serves the list of the factory's informer over HTTP, at `GET /`.

use anyhow::Result;
use axum::{Json, Router, routing::get};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use super::print_names;
use crate::lab::Lab;
use kube_informers::cache::{SharedIndexInformer, SharedInformerFactory};

// ANCHOR: serve
/// Starts the factory and serves the informer's list.
pub async fn run(lab: &Lab) -> Result<()> {
    let factory = lab.factory(SharedInformerFactory::new(lab.client()).namespace(lab.namespace()));
    let pods: SharedIndexInformer<Pod> = factory.informer();
    pods.add_event_handler(print_names(lab))?;
    factory.start(&lab.stop());
    factory.wait_for_cache_sync(&lab.stop()).await;

    // The same informer, because a factory has one for each type.
    let pods: SharedIndexInformer<Pod> = factory.informer();
    let answer = async move || Json(json!(pods.reader().list().iter().collect::<Vec<_>>()));
    let served = lab.serve(Router::new().route("/", get(answer))).await;
    factory.shutdown().await?;
    served
}
// ANCHOR_END: serve
