//! Converts the response of a handler into the form that the client asked for: encoding, view (object, table or
//! metadata), indentation, and the served form of the kind. Handlers always respond with JSON of whole objects in their
//! stored form, so they need not know of the other forms.

use std::convert::Infallible;

use axum::body::{Body, BodyDataStream};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt;

use super::negotiation::{Form, Media, View, is_for_people};
use super::query::Query;
use super::response_budget::made_of;
use super::scheme::hub_type;
use super::status::ApiError;
use super::table::{Columns, IncludeObject, Table, list_metadata, metadata};
use kube_controllers::clock::Clock;
use kube_machinery::codec::protobuf;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};

/// Marks a response whose body is a stream of events, one per line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Events;

/// Marks a response that is not an object, such as a log, and is sent unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verbatim;

#[derive(Clone, Debug)]
pub(crate) struct Representation {
    pub(crate) form: Form,
    pub(crate) errors: Form,
    pub(crate) resource: Resource,
    pub(crate) include: IncludeObject,
    /// True if the query asks for indented JSON, or the client is a tool for people such as curl.
    pub(crate) pretty: bool,
    pub(crate) clock: Clock,
}

/// Returns the error response that replaces a response that cannot be made. It keeps the warnings.
pub(crate) fn in_place_of(headers: &HeaderMap, error: ApiError) -> Response {
    let mut response = error.into_response();
    for warning in headers.get_all(header::WARNING) {
        response.headers_mut().append(header::WARNING, warning.clone());
    }
    response
}

/// Returns the response to a request that is refused before its handler runs.
pub(crate) fn refused(headers: &HeaderMap, query: &Query, error: ApiError) -> Response {
    let form = Form::of_errors(headers);
    let pretty = form.pretty || is_for_people(headers, query);
    let status = serde_json::from_slice(&error.json()).expect("a Status is JSON");
    let text = encode(form.media, pretty, &status);
    let mut response = error.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media.name()));
    *response.body_mut() = Body::from(text);
    response
}

pub(crate) fn encode(media: Media, pretty: bool, value: &Value) -> Vec<u8> {
    const INVARIANT: &str = "a JSON value in memory can always be written";
    match media {
        Media::Json if pretty => serde_json::to_vec_pretty(value).expect(INVARIANT),
        Media::Json => {
            let mut text = value.to_json();
            text.push(b'\n');
            text
        }
        Media::Yaml => serde_saphyr::to_string(value).expect(INVARIANT).into_bytes(),
        Media::Protobuf => protobuf::encode(value),
    }
}

impl Representation {
    /// Converts a response. A response that already has the right form is returned unchanged.
    pub(crate) async fn of(self, response: Response) -> Response {
        let verbatim = response.extensions().get::<Verbatim>().is_some();
        // Custom resources were converted before (`verbs::conversion`).
        let is_stored_so = self.resource.stored_form.is_none();
        let is_error = response.status().is_client_error() || response.status().is_server_error();
        let form = if is_error { self.errors } else { self.form };
        if verbatim || (form == Form::default() && !self.pretty && is_stored_so) {
            return response;
        }
        if response.extensions().get::<Events>().is_some() {
            if self.form.media == Media::Yaml {
                let refused = ApiError::no_stream().into_response();
                return Box::pin(self.of(refused)).await;
            }
            return self.events(response);
        }
        let (mut parts, body) = response.into_parts();
        let Ok(body) = body.collect().await else { return ApiError::internal("the answer broke off").into_response() };
        let bytes = body.to_bytes();
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else {
            return Response::from_parts(parts, Body::from(bytes));
        };
        let is_status = value["kind"] == "Status";
        let value = if is_status { Ok(value) } else { self.view(value, Columns::Shown) };
        let value = match value {
            Ok(value) => value,
            Err(error) => return Box::pin(self.of(in_place_of(&parts.headers, error))).await,
        };
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media.name()));
        Response::from_parts(parts, Body::from(encode(form.media, self.pretty || form.pretty, &value)))
    }

    fn view(&self, value: Value, columns: Columns) -> Result<Value, ApiError> {
        let is_list = value["kind"] == self.resource.list_kind();
        let is_custom = value["apiVersion"] == self.resource.api_version() && self.resource.custom.is_some();
        let hub = || match (value["kind"].as_str().unwrap_or_default(), &self.resource.custom) {
            _ if is_custom => "unstructured.UnstructuredList".to_owned(),
            ("Scale", Some(_)) => "v1.Scale".to_owned(),
            ("Scale", None) => "autoscaling.Scale".to_owned(),
            (kind, _) => hub_type(kind, &self.resource.api_version()),
        };
        match self.form.view {
            View::Whole => Ok(self.whole(value)),
            View::Table(version) => {
                Ok(Table { resource: &self.resource, version, include: self.include, columns, now: self.clock.time() }
                    .of(value))
            }
            View::Metadata(version) if !is_list => Ok(metadata(&value, version)),
            View::MetadataList(version) if is_list => {
                let items: Vec<Value> =
                    value["items"].as_array().into_iter().flatten().map(|item| metadata(item, version)).collect();
                let items = if items.is_empty() { Value::Null } else { items.into() }; // upstream encodes an empty list as null here
                let list = list_metadata(&value);
                Ok(
                    json!({"kind": "PartialObjectMetadataList", "apiVersion": version, "metadata": list, "items": items}),
                )
            }
            View::Metadata(_) => Err(ApiError::wrong_view("PartialObjectMetadata", "is a list", &hub())),
            // Upstream's `Unstructured` has the methods of a list, so upstream looks for its items and fails there.
            View::MetadataList(_) if is_custom => Err(ApiError::internal("content is not a list")),
            View::MetadataList(_) => Err(ApiError::wrong_view("PartialObjectMetadataList", "is not a list", &hub())),
        }
    }

    /// Returns an object or a list in the form of the served kind. Any other value, such as a Scale, stays unchanged.
    fn whole(&self, mut value: Value) -> Value {
        if self.resource.stored_form.is_none() || value["apiVersion"] != self.resource.stored().api_version() {
            return value;
        }
        let kind = value["kind"].take();
        match value.get_mut("items") {
            Some(Value::Array(items)) if kind == self.resource.list_kind() => {
                *items = std::mem::take(items).into_iter().map(|item| self.resource.served_form_of(item)).collect();
            }
            _ => value = self.resource.served_form_of(value),
        }
        value["kind"] = kind;
        value["apiVersion"] = self.resource.api_version().into();
        value
    }

    /// Converts a stream of events one by one.
    fn events(self, response: Response) -> Response {
        let (mut parts, body) = response.into_parts();
        if self.form.media == Media::Protobuf {
            let name = HeaderValue::from_static("application/vnd.kubernetes.protobuf;stream=watch");
            parts.headers.insert(header::CONTENT_TYPE, name);
        }
        let lines = (body.into_data_stream(), self, Columns::Shown);
        let events = stream::unfold(lines, |(mut lines, this, columns): (BodyDataStream, Self, Columns)| async move {
            let line = lines.next().await?.ok()?;
            let event = this.event(&line, columns)?;
            Some((Ok::<_, Infallible>(made_of(line, event)), (lines, this, Columns::Omitted)))
        });
        Response::from_parts(parts, Body::from_stream(events))
    }

    /// Converts one event. Returns `None` for an object that has no such view, such as one event's object as a metadata
    /// list: upstream ends the stream there.
    fn event(&self, line: &[u8], columns: Columns) -> Option<Bytes> {
        let mut event: Value = serde_json::from_slice(line).unwrap_or_default();
        let object = event["object"].take();
        let object = if object["kind"] == "Status" { object } else { self.view(object, columns).ok()? };
        if self.form.media == Media::Protobuf {
            return Some(protobuf::event(event["type"].as_str().unwrap_or_default(), &object).into());
        }
        event["object"] = object;
        let mut line = event.to_string().into_bytes();
        line.push(b'\n');
        Some(line.into())
    }
}
