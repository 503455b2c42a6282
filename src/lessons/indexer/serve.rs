//! Lesson `indexer --serve`: an informer built by hand stores its objects in the lesson's own Indexer, and an HTTP
//! server reads it.
//!
//! The tutorials ask when the Indexer is filled: when `handle_deltas` adds the object of a delta to the store, because
//! the store is this Indexer. The library's informer has an Indexer of its own that no other code can write to, so this
//! lesson uses an informer built by hand, as the tutorials do.
//!
//! The response with the tutorials' pods: `fixtures/traces/indexer-serve.json`.

use std::sync::Arc;

use anyhow::Result;
use axum::extract::Query;
use axum::{Json, Router, routing::get};
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;

use super::label::app_label;
use crate::lab::Lab;
use crate::lessons::go;
use crate::lessons::shared::my_shared_informer::MySharedInformer;
use crate::lessons::shared::pod_handler::PodHandler;
use kube_informers::cache::{Index, Indexer, ListWatch, meta_namespace_key};

// ANCHOR: serve
/// Keeps an index up to date by list and watch, and answers HTTP requests from it.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let indexer = Arc::new(Indexer::new(meta_namespace_key).observer(lab.observer()));
    let by_app = indexer.index("app", app_label)?;
    let informer = MySharedInformer::new(lab, pods, indexer);
    informer.add_event_handler(PodHandler::new(lab, 0, ""));

    let serve = async {
        narrate_values(lab, "before the first list", "第一次 list 之前", &by_app);
        if informer.fifo.synced().await.is_ok() {
            narrate_values(lab, "after it", "第一次 list 之后", &by_app);
            lab.serve(router(by_app)).await?;
        }
        Ok(())
    };
    try_join!(serve, informer.start(lab))?;
    Ok(())
}

/// `GET /` answers the tutorials' query, and `GET /?app=VALUE` any other one.
pub(super) fn router(by_app: Index<Pod>) -> Router {
    let answer = async move |Query(question): Query<Question>| {
        Json(by_app.keys(question.app.as_deref().unwrap_or("robusta-forwarder")))
    };
    Router::new().route("/", get(answer))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    app: Option<String>,
}
// ANCHOR_END: serve

pub(super) fn narrate_values(lab: &Lab, en: &str, zh: &str, index: &Index<Pod>) {
    let values = go::slice(index.values());
    lab.narrate(&format!("index app {en}: {values}"), &format!("{zh}的索引 app：{values}"));
}
