//! What a ListWatch makes of answers that are not what was asked for.

use axum::{Json, Router, routing::get};
use informer_lab::cache::{ApiError, ListOptions, ListWatch, ListerWatcher};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

async fn listed(answer: Value) -> Result<usize, ApiError> {
    let router = Router::new().route("/api/v1/pods", get(async move || Json(answer)));
    let pods = ListWatch::<Pod>::all(kube::Client::new(router, "default"));
    Ok(pods.list(ListOptions::default()).await?.items.len())
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_list_is_an_error_and_not_an_empty_list() {
    let table =
        json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "1"}, "rows": []});
    assert!(matches!(listed(table).await, Err(ApiError::NotAList(kind)) if kind == "Table"));
    assert!(matches!(listed(json!({"metadata": {}})).await, Err(ApiError::Decode(_))));
}

#[tokio::test(start_paused = true)]
async fn a_list_without_items_is_empty() {
    let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": null});
    assert_eq!(listed(list).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_item_that_cannot_be_read_fails_the_list() {
    let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": 7}}]});
    assert!(matches!(listed(list).await, Err(ApiError::Decode(_))));
}
