//! The routes of the server. Discovery and health checks have their own routes. All other requests are for resources,
//! and `handler.rs` handles them. Authentication and authorization (`auth/access.rs`) run before the router.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, any, get};
use futures::FutureExt;
use http::StatusCode;

use crate::discovery::{self, openapi};
use crate::handler::{Limits, handle};
use crate::healthz;
use crate::http::deadline;
use crate::http::heavy::HeavyLimit;
use crate::http::query::Query;
use crate::http::represent::refused;
use crate::http::response::plain;
use crate::http::response_budget::{self, ResponseBudget};
use crate::http::status::ApiError;
use crate::scenario::admin;
use crate::settings::Admin;
use crate::store::Store;
use kube_controllers::nodes::logs::Logs;

/// Returns the router of a cluster. `logs` holds the log lines of the pods, which the kubelet writes.
pub(crate) fn router(store: Arc<Store>, logs: Arc<Logs>, admin: Admin) -> Router {
    let router = match admin {
        Admin::On => admin::routes(),
        Admin::Off => Router::new(),
    };
    let limits =
        Limits { budget: Arc::new(ResponseBudget::new(store.settings.max_waiting_answers)), heavy: HeavyLimit::new() };
    // Counts the responses without a reservation, such as discovery documents, against the budget.
    let count = from_fn_with_state(limits.budget.clone(), response_budget::count);
    let resources =
        move |State(store): State<Arc<Store>>, request: Request| resource(store, logs.clone(), limits.clone(), request);
    router
        .merge(healthz::routes())
        .route("/metrics", any(async || ApiError::nothing_there("this cluster keeps no metrics")))
        .route("/", any(discovery::index))
        .route("/openapi/v2", any(openapi::v2))
        .route("/openapi/v3", any(openapi::index))
        .route("/openapi/v3/{*name}", any(openapi::v3))
        .merge(with_or_without_slash("/version", get(discovery::version)))
        .merge(with_or_without_slash("/api", get(discovery::core_versions)))
        .merge(with_slash_too("/apis", any(discovery::groups))) // as upstream, any method reads the groups
        .merge(with_or_without_slash("/api/{version}", get(discovery::core_resources)))
        .merge(with_slash_too("/apis/{group}", any(discovery::group)))
        .merge(with_or_without_slash("/apis/{group}/{version}", get(discovery::group_resources)))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .fallback(resources)
        .layer(count)
        .layer(from_fn(deadline::limit))
        .with_state(store)
}

/// Serves a path that can only be read, also with a slash at its end.
fn with_or_without_slash(path: &str, handler: MethodRouter<Arc<Store>>) -> Router<Arc<Store>> {
    // Upstream's 405 has no `Allow` header; the 405 of an axum router would have one.
    let not_allowed = async |request: Request| {
        refused(request.headers(), &Query::parse(request.uri()), ApiError::method_not_allowed())
    };
    with_slash_too(path, any(not_allowed).merge(handler))
}

/// Serves a path also with a slash at its end, as upstream.
fn with_slash_too(path: &str, handler: MethodRouter<Arc<Store>>) -> Router<Arc<Store>> {
    Router::new().route(path, handler.clone()).route(&format!("{path}/"), handler)
}

/// Handles a request for a resource. If the handler panics, the client gets a response, and the server continues.
/// Upstream: `WithPanicRecovery`.
async fn resource(store: Arc<Store>, logs: Arc<Logs>, limits: Limits, request: Request) -> Response {
    let (method, uri) = (request.method().clone(), request.uri().clone());
    AssertUnwindSafe(handle(store, logs, &limits, request)).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(%method, path = uri.path(), "a request caused a panic");
        let text = "This request caused apiserver to panic. Look in the logs for details.\n";
        plain(StatusCode::INTERNAL_SERVER_ERROR, text)
    })
}
