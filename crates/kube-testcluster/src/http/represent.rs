//! Converts the JSON of a handler's response into the negotiated form.

use std::convert::Infallible;

use axum::body::{Body, BodyDataStream};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{HeaderValue, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::negotiation::{Form, Media, View};
use super::status::ApiError;
use super::table::{Columns, IncludeObject, Table, metadata};
use crate::codec::protobuf;
use crate::kinds::Resource;
use crate::machinery::clock::Clock;

/// Marks a response whose body is a stream of events, one per line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Events;

/// Marks a response that is not an object and is passed on unchanged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verbatim;

/// Everything that decides the form of a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Representation {
    pub(crate) form: Form,
    /// The encoding of an error.
    pub(crate) errors: Media,
    pub(crate) resource: &'static Resource,
    pub(crate) include: IncludeObject,
    /// Indented, for people.
    pub(crate) pretty: bool,
    pub(crate) clock: Clock,
}

impl Representation {
    /// Converts a response. One that has the right form already is passed on unchanged.
    pub(crate) async fn of(self, response: Response) -> Response {
        let verbatim = response.extensions().get::<Verbatim>().is_some();
        if verbatim || (self.form == Form::default() && !self.pretty) {
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
            Err(error) => return error.into_response(),
        };
        let is_error = parts.status.is_client_error() || parts.status.is_server_error();
        let media = if is_error { self.errors } else { self.form.media };
        parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media.name()));
        Response::from_parts(parts, Body::from(self.encode(media, &value)))
    }

    /// The negotiated view of an object or a list.
    fn view(&self, value: Value, columns: Columns) -> Result<Value, ApiError> {
        let is_list = value["items"].is_array();
        let kind = value["kind"].as_str().unwrap_or_default().to_owned();
        match self.form.view {
            View::Whole => Ok(value),
            View::Table(version) => {
                Ok(Table { resource: self.resource, version, include: self.include, columns, now: self.clock.time() }
                    .of(value))
            }
            View::Metadata(version) if !is_list => Ok(metadata(&value, version)),
            View::MetadataList(version) if is_list => {
                let items: Vec<Value> =
                    value["items"].as_array().into_iter().flatten().map(|item| metadata(item, version)).collect();
                let items = if items.is_empty() { Value::Null } else { items.into() }; // upstream never makes a list
                let list = &value["metadata"];
                Ok(
                    json!({"kind": "PartialObjectMetadataList", "apiVersion": version, "metadata": list, "items": items}),
                )
            }
            View::Metadata(_) => Err(ApiError::wrong_view("PartialObjectMetadata", "is a list", &kind)),
            View::MetadataList(_) => Err(ApiError::wrong_view("PartialObjectMetadataList", "is not a list", &kind)),
        }
    }

    fn encode(&self, media: Media, value: &Value) -> Vec<u8> {
        const INVARIANT: &str = "a JSON value in memory can always be written";
        match media {
            Media::Json => {
                let text = if self.pretty { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
                let mut text = text.expect(INVARIANT);
                text.push(b'\n');
                text
            }
            Media::Yaml => serde_saphyr::to_string(value).expect(INVARIANT).into_bytes(),
            Media::Protobuf => protobuf::encode(value),
        }
    }

    fn events(self, response: Response) -> Response {
        let (mut parts, body) = response.into_parts();
        if self.form.media == Media::Protobuf {
            let name = HeaderValue::from_static("application/vnd.kubernetes.protobuf;stream=watch");
            parts.headers.insert(header::CONTENT_TYPE, name);
        }
        if matches!(self.form.view, View::MetadataList(_)) {
            return Response::from_parts(parts, Body::empty()); // no event is a list: upstream ends the stream
        }
        let lines = (body.into_data_stream(), self, Columns::Shown);
        let events = stream::unfold(lines, |(mut lines, this, columns): (BodyDataStream, Self, Columns)| async move {
            let line = lines.next().await?.ok()?;
            let event = this.event(&line, columns);
            Some((Ok::<_, Infallible>(event), (lines, this, Columns::Omitted)))
        });
        Response::from_parts(parts, Body::from_stream(events))
    }

    fn event(&self, line: &[u8], columns: Columns) -> Bytes {
        let mut event: Value = serde_json::from_slice(line).unwrap_or_default();
        let object = event["object"].take();
        let object = if object["kind"] == "Status" { object } else { self.view(object, columns).unwrap_or_default() };
        if self.form.media == Media::Protobuf {
            return protobuf::event(event["type"].as_str().unwrap_or_default(), &object).into();
        }
        event["object"] = object;
        let mut line = event.to_string().into_bytes();
        line.push(b'\n');
        line.into()
    }
}
