//! Requests for a version of a custom resource that a webhook converts: they are handled in their version, and what is stored is
//! converted before and after. Upstream: the codecs of `customresource_handler.go` in `k8s.io/apiextensions-apiserver`.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::StreamExt;
use http::header;
use http_body_util::BodyExt;
use serde_json::Value;

use crate::http::represent::{Events, in_place_of};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::kinds::Resource;
use crate::kinds::custom_resource::ConversionWebhook;
use crate::store::object::Opened;
use crate::store::{Next, Store};
use crate::webhook::conversion::convert;

/// An object in the version of the request, in the one in which it is stored.
pub(super) async fn to_stored(store: &Store, target: &Target, value: Value) -> Result<Value, ApiError> {
    match target.served.conversion_webhook() {
        Some(hook) => one(store, hook, (target.served, target.resource), value).await,
        None => Ok(value),
    }
}

/// A stored object in the version of the request.
pub(super) async fn to_served(store: &Store, target: &Target, value: Value) -> Result<Value, ApiError> {
    match target.served.conversion_webhook() {
        Some(hook) => one(store, hook, (target.resource, target.served), value).await,
        None => Ok(value),
    }
}

/// Computes a change in the version of the request.
pub(super) async fn changed<F: Future<Output = Result<Next, ApiError>>>(
    store: &Store,
    target: &Target,
    current: Arc<Opened>,
    change: impl FnOnce(Arc<Opened>) -> F,
) -> Result<Next, ApiError> {
    if target.served.conversion_webhook().is_none() {
        return change(current).await;
    }
    let served = Arc::new(current.with(to_served(store, target, current.value.clone()).await?));
    Ok(match change(served.clone()).await? {
        Next::Put(mut new) => {
            new["metadata"]["resourceVersion"] = served.value["metadata"]["resourceVersion"].clone();
            if new == served.value { Next::Keep } else { Next::Put(to_stored(store, target, new).await?) }
        }
        Next::Release(new) => Next::Release(to_stored(store, target, new).await?),
        next => next,
    })
}

/// Converts one object, in the shape of its new version and without `kind` and `apiVersion`.
async fn one(
    store: &Store,
    hook: &ConversionWebhook,
    (from, to): (&Resource, &Resource),
    value: Value,
) -> Result<Value, ApiError> {
    let converted = convert(store, hook, (from, to), vec![value]).await?;
    Ok(converted.into_iter().next().map(|value| to.in_shape(value)).unwrap_or_default())
}

/// Converts what a handler answers with: an object, a list, or the events of a watch.
pub(crate) async fn answer(store: &Arc<Store>, target: &Conversion, response: Response) -> Response {
    let Some(hook) = target.served.conversion_webhook() else { return response };
    if response.extensions().get::<Events>().is_some() {
        return events(store.clone(), *target, hook, response);
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else { return ApiError::internal("the answer broke off").into_response() };
    let bytes = body.to_bytes();
    let Ok(value) = serde_json::from_slice::<Value>(&bytes) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    match target.of(store, hook, value).await {
        Ok(value) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::from(value.to_string() + "\n"))
        }
        Err(error) => in_place_of(&parts.headers, error),
    }
}

/// From which row to which.
#[derive(Clone, Copy)]
pub(crate) struct Conversion {
    pub(crate) stored: &'static Resource,
    pub(crate) served: &'static Resource,
}

impl Conversion {
    async fn of(&self, store: &Store, hook: &ConversionWebhook, mut value: Value) -> Result<Value, ApiError> {
        let rows = (self.stored, self.served);
        let shaped = |value: Value| {
            let mut value = self.served.in_shape(value);
            value["kind"] = self.served.kind.into();
            value["apiVersion"] = self.served.api_version().into();
            value
        };
        if value["kind"] == self.stored.list_kind()
            && let Some(Value::Array(items)) = value.get_mut("items")
        {
            let items = std::mem::take(items);
            value["items"] = convert(store, hook, rows, items).await?.into_iter().map(shaped).collect();
            return Ok(value);
        }
        if value["kind"] != self.stored.kind {
            return Ok(value); // a Status, a Scale
        }
        Ok(convert(store, hook, rows, vec![value]).await?.into_iter().next().map(shaped).unwrap_or_default())
    }
}

fn events(store: Arc<Store>, target: Conversion, hook: &'static ConversionWebhook, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let events = body.into_data_stream().filter_map(async |line| line.ok()).then(move |line: Bytes| {
        let store = store.clone();
        async move {
            let mut event: Value = serde_json::from_slice(&line).unwrap_or_default();
            if event["type"] == "BOOKMARK" || event["type"] == "ERROR" {
                return Ok::<_, Infallible>(line);
            }
            match target.of(&store, hook, event["object"].take()).await {
                Ok(object) => event["object"] = object,
                Err(error) => return Ok(error.line()),
            }
            Ok((event.to_string() + "\n").into())
        }
    });
    Response::from_parts(parts, Body::from_stream(events))
}
