//! Large answers are compressed for those who can read them.

use std::io::Write;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt;

use super::represent::{Events, Verbatim};
use super::status::ApiError;

/// Upstream compresses only what is larger.
const THRESHOLD: usize = 128 * 1024;

/// Compresses an answer that is long enough to be worth it; never a stream that goes on.
pub(crate) async fn compress(request: &HeaderMap, response: Response) -> Response {
    let extensions = response.extensions();
    let streams = extensions.get::<Events>().is_some() || extensions.get::<Verbatim>().is_some();
    if streams || !accepts_gzip(request) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else { return ApiError::internal("the answer broke off").into_response() };
    let bytes = body.to_bytes();
    if bytes.len() <= THRESHOLD {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    Response::from_parts(parts, Body::from(written.expect("memory can always be written to")))
}

fn accepts_gzip(request: &HeaderMap) -> bool {
    let offered = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    offered.split(',').any(|one| one.split(';').next().unwrap_or_default().trim() == "gzip")
}
