//! From a request to its handler.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Method, StatusCode};

use super::options::Query;
use super::request_info::{self, NoTarget, Target};
use super::resource::Subresource;
use super::status::{ApiError, answer};
use super::store::Store;
use super::{discovery, handlers};

/// A request to the API, taken apart.
pub(crate) struct Call {
    pub(crate) store: Arc<Store>,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) request: Request,
}

/// The whole API as one service.
pub(crate) fn router(store: Arc<Store>) -> Router {
    let ok = || async { answer(StatusCode::OK, PLAIN, Body::from("ok")) };
    Router::new()
        .route("/healthz", get(ok))
        .route("/livez", get(ok))
        .route("/readyz", get(ok))
        .route("/version", get(discovery::version))
        .route("/api", get(discovery::core_versions))
        .route("/apis", get(discovery::groups))
        .route("/api/{version}", get(discovery::core_resources))
        .route("/apis/{group}", get(discovery::group))
        .route("/apis/{group}/{version}", get(discovery::group_resources))
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        .fallback(resource)
        .with_state(store)
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// What upstream's mux says about a path that it does not know.
pub(crate) fn no_such_path() -> Response {
    answer(StatusCode::NOT_FOUND, PLAIN, Body::from("404 page not found\n"))
}

async fn resource(State(store): State<Arc<Store>>, request: Request) -> Response {
    let target = match request_info::parse(request.uri().path()) {
        Ok(target) => target,
        Err(NoTarget::NoSuchPath) => return no_such_path(),
        Err(NoTarget::NoSuchResource) => return ApiError::unknown_resource().into_response(),
    };
    let query = Query::parse(request.uri());
    let method = request.method().clone();
    dispatch(&method, Call { store, target, query, request }).await.unwrap_or_else(IntoResponse::into_response)
}

async fn dispatch(method: &Method, call: Call) -> Result<Response, ApiError> {
    let target = &call.target;
    let all_namespaces = target.resource.is_namespaced() && target.namespace.is_none();
    match (&target.name, target.subresource, method) {
        (None, None, &Method::GET) => handlers::list::list_or_watch(call).await,
        (None, None, &Method::POST) if !all_namespaces => handlers::create::create(call).await,
        (None, None, &Method::DELETE) if !all_namespaces => handlers::delete::delete_collection(call).await,
        (Some(_), None | Some(Subresource::Status), &Method::GET) => handlers::get::get(call).await,
        (Some(_), None | Some(Subresource::Status), &Method::PUT) => handlers::update::update(call).await,
        (Some(_), None | Some(Subresource::Status), &Method::PATCH) => handlers::patch::patch(call).await,
        (Some(_), None, &Method::DELETE) => handlers::delete::delete(call).await,
        (Some(_), Some(Subresource::Binding), &Method::POST) => handlers::binding::bind(call).await,
        _ => Err(ApiError::method_not_allowed()),
    }
}
