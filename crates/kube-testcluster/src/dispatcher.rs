//! The answers that depend on the router of upstream through which a request comes: go-restful, which has a route for
//! each built-in kind and method, or the one handler of all custom resources, which has none.

use axum::response::Response;
use http::{HeaderMap, Method};

use crate::http::negotiation::{Accept, Offers};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::warnings::warn;
use crate::settings::ManagedFields;
use crate::verbs::patch::check_media_type;
use kube_machinery::kinds::{Dispatcher, Resource};

/// Returns the method by which the request is handled. HEAD on custom resources is a GET without a body; go-restful
/// does not know HEAD.
pub(crate) fn method(method: &Method, resource: &Resource) -> Method {
    let is_get = method == Method::HEAD && resource.dispatcher == Dispatcher::CrdHandler;
    if is_get { Method::GET } else { method.clone() }
}

/// Checks that the `Accept` header names a media type that go-restful knows. go-restful makes this check before a
/// handler negotiates; the handler of custom resources does not make it.
pub(crate) fn check_accept(resource: &Resource, accept: &Accept<'_>, offers: Offers) -> Result<(), ApiError> {
    match resource.dispatcher {
        Dispatcher::GoRestful => accept.check(offers),
        Dispatcher::CrdHandler => Ok(()),
    }
}

/// The reason why no action was found for a request.
pub(crate) enum NotAllowed {
    /// Upstream's mux answers `404 page not found`.
    NoSuchPath,
    Refused(ApiError),
}

/// Returns the answer to a method that the path does not allow.
pub(crate) fn not_allowed(
    method: &Method,
    target: &Target,
    headers: &HeaderMap,
    managed_fields: ManagedFields,
) -> NotAllowed {
    match target.served.dispatcher {
        Dispatcher::GoRestful => NotAllowed::Refused(ApiError::method_not_allowed()),
        // The handler delegates methods that need a namespace to the next handler, which has no such path.
        Dispatcher::CrdHandler if target.is_of_all_namespaces() => NotAllowed::NoSuchPath,
        Dispatcher::CrdHandler => NotAllowed::Refused(not_supported(method, target, headers, managed_fields)),
    }
}

/// Returns the error for a method on custom resources. Unlike go-restful, the handler has messages of its own, and
/// checks the media type of a patch before the name.
fn not_supported(method: &Method, target: &Target, headers: &HeaderMap, managed_fields: ManagedFields) -> ApiError {
    // The verb in the message, as upstream's `RequestInfo` has it: empty for a method that it does not know.
    let verb = match *method {
        Method::GET | Method::POST | Method::PUT | Method::PATCH | Method::DELETE if target.watch => Some("watch"),
        Method::POST if target.subresource.is_some() => Some("create"),
        Method::DELETE if target.subresource.is_some() => Some("delete"),
        Method::GET | Method::POST | Method::PUT | Method::PATCH | Method::DELETE => None,
        _ => Some(""),
    };
    if let Some(verb) = verb {
        return ApiError::method_not_supported(&target.served, verb);
    }
    let nameless = || ApiError::bad_request("name must be provided");
    match *method {
        _ if target.name.is_some() => ApiError::method_not_allowed(),
        Method::PUT => nameless(),
        Method::PATCH => check_media_type(headers, &target.resource, managed_fields).err().unwrap_or_else(nameless),
        _ => ApiError::method_not_allowed(),
    }
}

/// Adds the deprecation warning of a custom resource to the response of a request that is refused before its action
/// runs. go-restful, which refuses such requests for built-in kinds, adds no warning.
pub(crate) fn with_early_warning(resource: &Resource, response: Box<Response>) -> Box<Response> {
    match resource.dispatcher {
        Dispatcher::CrdHandler => with_warning(resource, response),
        Dispatcher::GoRestful => response,
    }
}

/// Adds the deprecation warning of a kind to a response.
pub(crate) fn with_warning(resource: &Resource, response: Box<Response>) -> Box<Response> {
    match resource.warning() {
        Some(warning) => Box::new(warn(*response, &[warning.to_owned()])),
        None => response,
    }
}
