//! The errors of the API, as Kubernetes `Status` objects: a constructor for each error, with upstream's code, reason
//! and message, because clients compare them. Upstream: `k8s.io/apimachinery/pkg/api/errors`.

use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::Serialize;

use super::request_info::Target;
use super::response::json;
use crate::store::watch_event::{EventType, WatchEvent};
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json as value};

mod access;
mod budgets;
mod forms;
mod success;

pub(crate) use self::success::{created, removed};

/// An error of the API. As a response it becomes a `Status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    code: StatusCode,
    /// Empty for errors that upstream does not classify.
    reason: &'static str,
    message: String,
    details: Option<Box<Details>>,
    /// The token with which an expired paged list can continue.
    continue_token: Option<String>,
    /// The Status of an admission webhook. It is sent instead of a Status that is made from the other fields.
    given: Option<Box<Value>>,
}

/// The details of a Status: the object that the error is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    causes: Vec<Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_seconds: Option<u32>,
}

impl ApiError {
    fn new(code: StatusCode, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None, continue_token: None, given: None }
    }

    /// Adds the object that the error is about. `kind` is upstream's text for it, mostly the plural.
    fn about(mut self, resource: &Resource, kind: String, name: &str) -> Self {
        let details = Details { name: name.into(), group: resource.group().to_owned(), kind, ..Details::default() };
        self.details = Some(Box::new(details));
        self
    }

    /// Adds empty details, as upstream does for errors that are not about an object.
    fn with_empty_details(mut self) -> Self {
        self.details = Some(Box::default());
        self
    }

    /// Returns the error for the Status with which an admission webhook refuses a request. A code below 400 becomes
    /// 400. Upstream: `ToStatusErr` and `ErrorToAPIStatus`.
    pub(crate) fn of_status(status: &Value) -> Self {
        let code = status["code"].as_u64().and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
        let code = code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::BAD_REQUEST);
        let text = |field: &str| status[field].as_str().unwrap_or_default();
        let mut given = value!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": text("message"),
        });
        if !text("reason").is_empty() {
            given["reason"] = status["reason"].clone();
        }
        if status["details"].is_object() {
            given["details"] = status["details"].clone();
        }
        given["code"] = code.as_u16().into();
        Self { given: Some(Box::new(given)), ..Self::new(code, "", text("message")) }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn is_not_found(&self) -> bool {
        self.reason == "NotFound"
    }

    pub(crate) fn is_already_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    pub(crate) fn is_conflict(&self) -> bool {
        self.reason == "Conflict"
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    pub(crate) fn forbidden(resource: &Resource, name: &str, why: &str) -> Self {
        let message = format!("{} {name:?} is forbidden: {why}", resource.qualified());
        Self::new(StatusCode::FORBIDDEN, "Forbidden", message).about(resource, resource.plural().into(), name)
    }

    #[cfg(feature = "serve")]
    pub(crate) fn malformed_request(code: StatusCode) -> Self {
        let (reason, message) = match code {
            StatusCode::URI_TOO_LONG => ("", "the request line is longer than this server reads: 65534 bytes"),
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => ("", "the header is larger than this server reads"),
            _ => ("BadRequest", "this cannot be read as an HTTP request"),
        };
        Self::new(code, reason, message)
    }

    /// The error for a request that comes from a web page or from another machine.
    #[cfg(feature = "serve")]
    pub(crate) fn foreign_request(why: &str) -> Self {
        let message = format!("forbidden: this server answers programs on its own machine only: {why}");
        Self::new(StatusCode::FORBIDDEN, "Forbidden", message).with_empty_details()
    }

    pub(crate) fn terminating(resource: &Resource, name: &str, namespace: &str) -> Self {
        let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
        let cause = Cause::terminating(namespace);
        let mut error = Self::forbidden(resource, name, &why);
        if let Some(details) = &mut error.details {
            details.causes.push(cause);
        }
        error
    }

    pub(crate) fn not_found(resource: &Resource, name: &str) -> Self {
        let message = format!("{} {name:?} not found", resource.qualified());
        Self::new(StatusCode::NOT_FOUND, "NotFound", message).about(resource, resource.plural().into(), name)
    }

    /// Replaces the group in the error by the group of the request, if the kind is stored in another group, as Events
    /// are. Upstream's registry takes the group of an error from the request (`qualifiedResourceFromContext`).
    pub(crate) fn name_as_requested(&mut self, target: &Target) {
        let (served, stored) = (&target.served, &target.resource);
        let Some(details) = self.details.as_mut().filter(|details| details.kind == stored.plural()) else { return };
        if served.group() == stored.group() || details.group != stored.group() {
            return;
        }
        served.group().clone_into(&mut details.group);
        let named = |resource: &Resource| format!("{} {:?}", resource.qualified(), details.name);
        self.message = self.message.replacen(&named(stored), &named(served), 1);
    }

    pub(crate) fn unknown_resource() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource")
            .with_empty_details()
    }

    /// The error for a path that kube-apiserver serves and this server does not.
    pub(crate) fn nothing_there(why: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NotFound", why)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message).with_empty_details()
    }

    /// Upstream: `NewMethodNotSupported`.
    pub(crate) fn method_not_supported(resource: &Resource, action: &str) -> Self {
        let message = format!("{action} is not supported on resources of kind {:?}", resource.qualified());
        let error = Self::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", message);
        error.about(resource, resource.plural().into(), "")
    }

    pub(crate) fn already_exists(resource: &Resource, name: &str, deleting: bool) -> Self {
        let prefix = if deleting { "object is being deleted: " } else { "" };
        let message = format!("{prefix}{} {name:?} already exists", resource.qualified());
        Self::new(StatusCode::CONFLICT, "AlreadyExists", message).about(resource, resource.plural().into(), name)
    }

    /// Turns `AlreadyExists` into the error for a generated name that is taken. Upstream: `NewGenerateNameConflict`.
    pub(crate) fn with_no_unique_name(mut self) -> Self {
        self.message.push_str(", the server was not able to generate a unique name for the object");
        if let Some(details) = &mut self.details {
            details.retry_after_seconds = Some(1);
        }
        self
    }

    /// Returns a conflict. `what` is `replicasets`, `pods/binding` or, where upstream uses the kind, `ReplicaSet`.
    pub(crate) fn conflict(resource: &Resource, what: &str, name: &str, why: impl AsRef<str>) -> Self {
        let dot = if resource.group().is_empty() { "" } else { "." };
        let message =
            format!("Operation cannot be fulfilled on {what}{dot}{} {name:?}: {}", resource.group(), why.as_ref());
        Self::new(StatusCode::CONFLICT, "Conflict", message).about(resource, what.into(), name)
    }

    /// The error for an apply that changes fields of other managers; `causes` has the message and the field of each
    /// conflict. Upstream: `NewApplyConflict`.
    pub(crate) fn apply_conflict(message: String, causes: &[(String, String)]) -> Self {
        let causes: Causes = causes.iter().map(|(message, field)| Cause::of_manager(field, message)).collect();
        let causes = causes.into_iter().collect();
        let details = Details { causes, ..Details::default() };
        Self { details: Some(Box::new(details)), ..Self::new(StatusCode::CONFLICT, "Conflict", message) }
    }

    /// Returns the conflict of an update whose resourceVersion is not the current one.
    pub(crate) fn stale(resource: &Resource, name: &str) -> Self {
        let why = "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(resource, resource.plural(), name, why)
    }

    pub(crate) fn invalid(resource: &Resource, name: &str, causes: impl Into<Causes>) -> Self {
        Self::invalid_kind(resource.group(), resource.kind(), name, causes)
    }

    /// The error for an update that must name a resourceVersion and does not. Upstream names the kind by its plural
    /// here.
    pub(crate) fn unconditional_update(resource: &Resource, name: &str) -> Self {
        let value = Value::from(0);
        let cause = Cause::invalid_json("metadata.resourceVersion", &value, "must be specified for an update");
        Self::invalid_kind(resource.group(), resource.plural(), name, [cause])
    }

    pub(crate) fn invalid_options(kind: &'static str, causes: impl Into<Causes>) -> Self {
        Self::invalid_kind("meta.k8s.io", kind, "", causes)
    }

    pub(crate) fn invalid_log_options(pod: &str, causes: Causes) -> Self {
        Self::invalid_kind("", "PodLogOptions", pod, causes)
    }

    pub(super) fn invalid_kind(group: &str, kind: &str, name: &str, causes: impl Into<Causes>) -> Self {
        let causes: Vec<Cause> = causes.into().into_iter().collect();
        // The message has each sentence once, although the causes keep duplicates.
        let sentences = aggregate(causes.iter().map(Cause::sentence)).unwrap_or_default();
        let dot = if group.is_empty() { "" } else { "." };
        let message = format!("{kind}{dot}{group} {name:?} is invalid: {sentences}");
        let details =
            Details { name: name.into(), group: group.to_owned(), kind: kind.into(), causes, ..Details::default() };
        Self { details: Some(Box::new(details)), ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", message) }
    }

    /// The error for a feature that this server does not have. Upstream has no reason for code 501.
    pub(crate) fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, "", message)
    }

    /// An error with code 500 that upstream does not classify.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
    }

    /// The error for a failure of the server that the request did not cause.
    pub(crate) fn internal_error(what: &str) -> Self {
        let message = format!("Internal error occurred: {what}");
        let details = Details { causes: vec![Cause::without_field("", what)], ..Details::default() };
        Self {
            details: Some(Box::new(details)),
            ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "InternalError", message)
        }
    }

    /// The error for too many requests. `retry_after` is in seconds; 0 means no `Retry-After`.
    pub(crate) fn too_many_requests(retry_after: u32) -> Self {
        let details =
            Details { retry_after_seconds: Some(retry_after).filter(|seconds| *seconds > 0), ..Details::default() };
        let message = "Too many requests, please try again later.";
        Self {
            details: Some(Box::new(details)),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message)
        }
    }

    /// The error for a watch beyond the limit.
    pub(crate) fn too_many_watches(limit: usize) -> Self {
        let message = format!("too many watches are open: the limit is {limit}, please try again later.");
        Self { message, ..Self::too_many_requests(1) }
    }

    pub(crate) fn timeout(what: &str) -> Self {
        Self::new(StatusCode::GATEWAY_TIMEOUT, "Timeout", format!("Timeout: {what}")).with_empty_details()
    }

    pub(crate) fn expired(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "Expired", message)
    }

    /// The error for a watch from a version that is older than the history.
    pub(crate) fn too_old(requested: u64, oldest: u64) -> Self {
        Self::expired(format!("too old resource version: {requested} ({oldest})"))
    }

    /// The error for a page of a list whose version is older than the history. `token` continues the list with the
    /// current state.
    pub(crate) fn expired_page(token: String) -> Self {
        let message = "The provided continue parameter is too old to display a consistent list result. You can start a \
            new list without the continue parameter, or use the continue token in this response to retrieve the remainder \
            of the results. Continuing with the provided token results in an inconsistent list - objects that were \
            created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
        Self { continue_token: Some(token), ..Self::expired(message) }
    }

    /// The error for a revision that the server did not reach in time.
    pub(crate) fn too_large_version(requested: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {requested}, current: {current}");
        let cause = Cause::without_field("ResourceVersionTooLarge", "Too large resource version");
        let details = Details { causes: vec![cause], retry_after_seconds: Some(1), ..Details::default() };
        Self { details: Some(Box::new(details)), ..Self::new(StatusCode::GATEWAY_TIMEOUT, "Timeout", message) }
    }

    /// Encodes the Status as JSON.
    pub(crate) fn json(&self) -> Vec<u8> {
        if let Some(given) = &self.given {
            return given.to_string().into_bytes();
        }
        let status = Status {
            kind: "Status",
            api_version: "v1",
            metadata: StatusMeta { r#continue: self.continue_token.as_deref() },
            status: "Failure",
            message: &self.message,
            reason: self.reason,
            details: self.details.as_deref(),
            code: Some(self.code.as_u16()),
        };
        serde_json::to_vec(&status).expect("a Status has only text keys")
    }

    /// Returns the Status as a value.
    pub(crate) fn value(&self) -> Value {
        read_back(&self.json())
    }

    /// Returns the ERROR event that ends a watch.
    pub(crate) fn event(&self) -> WatchEvent {
        WatchEvent::made(EventType::Error, self.value())
    }

    pub(crate) fn code(&self) -> StatusCode {
        self.code
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let retry = self.details.as_ref().and_then(|details| details.retry_after_seconds);
        let mut response = json(self.code, self.json());
        if let Some(seconds) = retry {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

fn read_back(status: &[u8]) -> Value {
    serde_json::from_slice(status).expect("a Status is JSON")
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    kind: &'a str,
    api_version: &'a str,
    metadata: StatusMeta<'a>,
    status: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a Details>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
}

#[derive(Serialize)]
struct StatusMeta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#continue: Option<&'a str>,
}
