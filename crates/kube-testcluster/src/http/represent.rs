//! Encodes the answer of a verb in the form that the client asked for: encoding (JSON, YAML, protobuf), view (object,
//! table or metadata), indentation, and the served form of the kind. Upstream: `transformResponseObject` and
//! `WriteObjectNegotiated` of `k8s.io/apiserver/pkg/endpoints/handlers`.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::answer::{Answer, Content, List};
use super::list_rows;
use super::list_text;
use super::negotiation::{Accept, Form, Media, View, accept_header, is_pretty};
use super::query::Query;
use super::response;
use super::response_budget::ResponseBudget;
use super::scheme::hub_type;
use super::status::ApiError;
use super::table::{Definitions, IncludeObject, Table, list_metadata, metadata};
use super::warnings::warn;
use super::watch_encoder;
use kube_controllers::clock::Clock;
use kube_machinery::codec::protobuf;
use kube_machinery::kinds::{Resource, Subresource};
use kube_machinery::value::{Value, json};

/// Marks a response that is not an object, such as a log: it is sent unchanged, so it is not compressed either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verbatim;

/// The form of the response to one request, and the values that it depends on.
#[derive(Clone, Debug)]
pub(crate) struct Representation {
    pub(crate) form: Form,
    /// The form of an error, which is negotiated on its own.
    pub(crate) errors: Form,
    pub(crate) resource: Resource,
    pub(crate) subresource: Option<Subresource>,
    /// The `includeObject` of the query. Only a Table uses it, so an invalid value is an error only there.
    pub(crate) include: Result<IncludeObject, ApiError>,
    /// True if the query asks for indented JSON, or the client is a tool for people such as curl.
    pub(crate) pretty: bool,
    pub(crate) clock: Clock,
}

/// Returns the response to a request that is refused before its handler runs.
pub(crate) fn refused(headers: &HeaderMap, query: &Query, error: ApiError) -> Response {
    let form = Accept::parse(&accept_header(headers)).form_of_errors();
    refused_in(form, headers, query, error)
}

/// As [`refused`], for a request whose `Accept` header is parsed already: `form` is the form of its errors.
pub(crate) fn refused_in(form: Form, headers: &HeaderMap, query: &Query, error: ApiError) -> Response {
    error_response(form.media, form.pretty || is_pretty(headers, query), error)
}

fn error_response(media: Media, pretty: bool, error: ApiError) -> Response {
    if media == Media::Json && !pretty {
        return error.into_response();
    }
    let text = encode(media, pretty, &error.value());
    let mut response = error.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media.name()));
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
    /// Encodes an answer. The events of a watch are encoded while they are sent; with a budget, each event waits for
    /// its reservation.
    pub(crate) fn respond(&self, answer: Answer, budget: Option<Arc<ResponseBudget>>) -> Response {
        let Answer { code, content, warnings, served_from } = answer;
        let response = self.content(code, content, budget);
        let mut response = warn(response.unwrap_or_else(|error| self.error(error)), &warnings);
        if let Some(from) = served_from {
            from.add_header(&mut response);
        }
        response
    }

    fn content(
        &self,
        code: StatusCode,
        content: Content,
        budget: Option<Arc<ResponseBudget>>,
    ) -> Result<Response, ApiError> {
        if let (View::Table(_), Err(why), true) = (self.form.view, &self.include, code.is_success()) {
            return Err(why.clone());
        }
        // If the client asks for the stored form, the stored bytes are sent without decoding.
        let is_stored_form = self.is_stored_form();
        match content {
            Content::Error(error) => Err(error),
            Content::Log(text) => {
                let mut response = response::answer(code, "text/plain", text);
                response.extensions_mut().insert(Verbatim);
                Ok(response)
            }
            Content::Events(events) => watch_encoder::response(self, events, budget),
            Content::Object(object) if object.summary.has_items_list => Err(ApiError::taken_for_list()),
            Content::Object(object) if is_stored_form => Ok(response::json(code, object.json().into())),
            Content::Object(object) => self.value(code, object.value()?),
            Content::List(list) if is_stored_form => {
                Ok(response::answer(code, Media::Json.name(), list_text::body(list)))
            }
            Content::List(list) => match self.object_by_object(&list)? {
                Some(text) => Ok(response::answer(code, Media::Json.name(), Body::from(text))),
                None => self.value(code, whole_list(list)?),
            },
            Content::Value(value) => self.value(code, value),
        }
    }

    /// Returns true if the stored bytes can be sent unchanged: plain JSON of the whole object, in the version in which the
    /// kind is stored.
    pub(super) fn is_stored_form(&self) -> bool {
        self.form == Form::default() && !self.pretty && self.resource.stored_form.is_none()
    }

    fn error(&self, error: ApiError) -> Response {
        error_response(self.errors.media, self.pretty || self.errors.pretty, error)
    }

    fn value(&self, code: StatusCode, value: Value) -> Result<Response, ApiError> {
        if value["kind"] == self.resource.kind() && self.resource.has_items_list(&value) {
            return Err(ApiError::taken_for_list());
        }
        let value = if value["kind"] == "Status" { value } else { self.view(value, Definitions::Shown)? };
        let media = self.form.media;
        let text = encode(media, self.pretty || self.form.pretty, &value);
        Ok(response::answer(code, media.name(), Body::from(text)))
    }

    /// Returns a list as a Table or as metadata, written object by object to save memory. Returns `None` if that is not
    /// possible:
    ///
    /// - The answer is not plain JSON, is an empty list, or has whole objects (as a list, or in the rows of a Table).
    /// - The objects are stored in another form than served.
    /// - It is a Table of custom resources: a column may show any field, also `managedFields`, which `list_rows.rs`
    ///   skips.
    /// - It is a Table whose rows have another order than the list, or depend on each other.
    fn object_by_object(&self, list: &List) -> Result<Option<Vec<u8>>, ApiError> {
        let Form { media, view, pretty } = self.form;
        let is_plain = media == Media::Json && !pretty && !self.pretty;
        if !is_plain || list.objects.is_empty() || self.resource.stored_form.is_some() {
            return Ok(None);
        }
        Ok(match view {
            View::Table(_) if self.resource.table_order.is_some() || self.resource.default_in_list.is_some() => None,
            View::Table(version) if self.resource.defined_columns().is_empty() => {
                let include = self.include.clone()?;
                let table = self.table(version, include, Definitions::Shown);
                if include == IncludeObject::Object { None } else { Some(list_rows::table(list, &table)?) }
            }
            View::MetadataList(version) => Some(list_rows::metadata(list, version)?),
            _ => None,
        })
    }

    fn table(&self, version: &'static str, include: IncludeObject, definitions: Definitions) -> Table<'_> {
        let (resource, subresource, now) = (&self.resource, self.subresource, self.clock.time());
        Table { resource, subresource, version, include, definitions, now }
    }

    /// Returns the view of an object or a list that the client asked for.
    pub(super) fn view(&self, value: Value, definitions: Definitions) -> Result<Value, ApiError> {
        let is_list = value["kind"] == self.resource.list_kind();
        let is_unstructured = value["apiVersion"] == self.resource.api_version() && self.resource.is_unstructured();
        // The name of upstream's internal Go type, for its error messages.
        let go_type = || match (self.subresource, self.resource.is_unstructured()) {
            (Some(Subresource::Scale), true) => "v1.Scale".to_owned(),
            (Some(Subresource::Scale), false) => "autoscaling.Scale".to_owned(),
            _ if is_unstructured => "unstructured.UnstructuredList".to_owned(),
            _ => hub_type(value["kind"].as_str().unwrap_or_default(), &self.resource.api_version()),
        };
        match self.form.view {
            View::Whole => Ok(self.whole(value)),
            View::Table(version) => {
                let include = self.include.clone()?;
                Ok(self.table(version, include, definitions).of(value))
            }
            View::Metadata(version) if !is_list => Ok(metadata(&value, version)),
            View::MetadataList(version) if is_list => {
                let items: Vec<Value> =
                    value["items"].as_array().into_iter().flatten().map(|item| metadata(item, version)).collect();
                // Upstream encodes an empty list as null here.
                let items = if items.is_empty() { Value::Null } else { items.into() };
                let list = list_metadata(&value);
                Ok(
                    json!({"kind": "PartialObjectMetadataList", "apiVersion": version, "metadata": list, "items": items}),
                )
            }
            View::Metadata(_) => Err(ApiError::wrong_view("PartialObjectMetadata", "is a list", &go_type())),
            // Upstream's `Unstructured` has the methods of a list, so upstream looks for its items and fails there.
            View::MetadataList(_) if is_unstructured => Err(ApiError::internal("content is not a list")),
            View::MetadataList(_) => {
                Err(ApiError::wrong_view("PartialObjectMetadataList", "is not a list", &go_type()))
            }
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
}

/// Returns the list as one value, for a form that cannot be written object by object.
pub(crate) fn whole_list(list: List) -> Result<Value, ApiError> {
    let items = list.objects.iter().map(|object| object.item_value()).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({
        "kind": list.resource.list_kind(), "apiVersion": list.resource.api_version(), "metadata": list.metadata,
        "items": items,
    }))
}
