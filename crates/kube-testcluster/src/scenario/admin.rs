//! The HTTP API for faults, `/lab/faults`, with which a scenario or a shell starts faults in a cluster of another
//! process. It is served only with [`Admin::On`](crate::Admin::On).
//!
//! POST `{"fault": "429:verb=list,times=3"}` starts a fault, GET lists the active ones, DELETE ends all of them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;

use super::faults::Faults;
use crate::faults::{BadFault, Fault};
use crate::http::body;
use crate::http::deadline::finish;
use crate::http::response;
use crate::http::status::ApiError;
use crate::store::Store;
use kube_machinery::value::{Value, json};

pub(crate) const PATH: &str = "/lab/faults";

pub(crate) fn routes() -> Router<Arc<Store>> {
    Router::new().route(PATH, get(list).post(start).delete(end))
}

/// Returns the JSON form of a fault: the body of a POST, and an item of the list.
pub(crate) fn wire(fault: &Fault) -> Value {
    json!({"fault": fault.to_string()})
}

async fn list(State(store): State<Arc<Store>>) -> Response {
    let faults: Vec<Value> = Faults::of(store).active().iter().map(wire).collect();
    answer(StatusCode::OK, &json!({"faults": faults}))
}

async fn start(State(store): State<Arc<Store>>, request: Request) -> Result<Response, ApiError> {
    let body = finish(None, body::read(request)).await?;
    let refused = |why: String| ApiError::bad_request(format!("the body is not a fault: {why}"));
    let value: Value = serde_json::from_slice(&body).map_err(|error| refused(error.to_string()))?;
    let text =
        value["fault"].as_str().ok_or_else(|| refused("expected {\"fault\": \"NAME:OPTION=VALUE,…\"}".into()))?;
    let fault: Fault = text.parse().map_err(|error: BadFault| refused(error.to_string()))?;
    let started = wire(&fault);
    Faults::of(store).start(fault);
    Ok(answer(StatusCode::CREATED, &started))
}

async fn end(State(store): State<Arc<Store>>) -> Response {
    Faults::of(store.clone()).end_all();
    list(State(store)).await
}

fn answer(code: StatusCode, value: &Value) -> Response {
    response::json(code, value.to_string().into_bytes())
}
