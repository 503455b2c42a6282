//! SharedInformerFactory: one informer per type, however often the type is requested.
//!
//! Prints each pod's name when it is added.
//!
//! Chapter: `lessons/factory.md`. Traces: `fixtures/traces/factory*.txt`.

use std::sync::Arc;

use anyhow::Result;
use axum::{Json, Router, routing::get};
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{HandlerFuncs, SharedIndexInformer, SharedInformerFactory};

/// Starts the factory's informers and waits for their caches.
pub async fn run(lab: &Lab) -> Result<()> {
    let factory = start(lab)?;
    synced(lab, &factory).await;
    lab.stop().cancelled().await;
    Ok(factory.shutdown().await?)
}

/// Starts the informers and serves the informer's list over HTTP.
pub async fn serve(lab: &Lab) -> Result<()> {
    let factory = start(lab)?;
    synced(lab, &factory).await;
    let pods: SharedIndexInformer<Pod> = factory.informer();
    let answer = async move || Json(serde_json::json!(pods.reader().list().iter().collect::<Vec<_>>()));
    let served = lab.serve(Router::new().route("/", get(answer))).await;
    factory.shutdown().await?;
    served
}

fn start(lab: &Lab) -> Result<SharedInformerFactory> {
    let factory = lab.factory(SharedInformerFactory::new(lab.client()).namespace(lab.namespace()));
    let printer = lab.clone();
    let print = HandlerFuncs::new().add_func(move |pod: Arc<Pod>, _| printer.print(Style::Added, name(&pod)));
    factory.informer::<Pod>().add_event_handler(print)?;
    factory.start(&lab.stop());
    Ok(factory)
}

async fn synced(lab: &Lab, factory: &SharedInformerFactory) {
    for (kind, synced) in factory.wait_for_cache_sync(&lab.stop()).await {
        if synced {
            lab.narrate(&format!("the cache of {kind} is synced"), &format!("{kind} 的缓存已同步"));
        }
    }
}
