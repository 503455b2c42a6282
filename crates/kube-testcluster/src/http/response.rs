//! Responses with the headers that all responses have: bytes of a content type, plain text, and the responses of Go's
//! HTTP server and mux.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

pub(crate) fn json(code: StatusCode, mut body: Vec<u8>) -> Response {
    body.push(b'\n');
    answer(code, "application/json", Body::from(body))
}

/// Returns a response with the headers that all responses have.
pub(crate) fn answer(code: StatusCode, content_type: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Returns a plain-text response. Go: `http.Error`.
pub(crate) fn plain(code: StatusCode, text: impl Into<Body>) -> Response {
    without_sniffing(answer(code, PLAIN, text.into()))
}

/// Forbids browsers to guess the content type, so that they never run a response as a page or script.
pub(crate) fn without_sniffing(mut response: Response) -> Response {
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Returns the response of upstream's mux to an unknown path.
pub(crate) fn no_such_path() -> Response {
    plain(StatusCode::NOT_FOUND, "404 page not found\n")
}

/// Returns the response of Go's HTTP server to a malformed request.
pub(crate) fn broken_request() -> Response {
    let mut response = answer(StatusCode::BAD_REQUEST, PLAIN, Body::from("400 Bad Request"));
    response.headers_mut().remove(header::CACHE_CONTROL);
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
