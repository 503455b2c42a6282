//! Compresses large responses for clients that accept gzip.

use std::convert::Infallible;
use std::io::Write;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::stream;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt;

use super::represent::{Events, Verbatim};
use super::status::ApiError;

/// Upstream compresses only larger responses.
const THRESHOLD: usize = 128 * 1024;

/// How many bytes are compressed at a time. The result is sent, and other tasks run, before the next ones.
const PIECE: usize = 256 * 1024;

/// Whether a client accepts compressed responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcceptedEncoding {
    Gzip,
    Plain,
}

impl AcceptedEncoding {
    /// Reads the header Accept-Encoding.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let offered = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let gzip = offered.split(',').any(|one| one.trim() == "gzip"); // upstream knows no weights
        if gzip { Self::Gzip } else { Self::Plain }
    }
}

/// Compresses a response that is large enough, but never a watch or a log.
pub(crate) async fn compress(accepted: AcceptedEncoding, response: Response) -> Response {
    let extensions = response.extensions();
    let streams = extensions.get::<Events>().is_some() || extensions.get::<Verbatim>().is_some();
    if streams || accepted == AcceptedEncoding::Plain {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = body.collect().await else { return ApiError::internal("the answer broke off").into_response() };
    let bytes = body.to_bytes();
    if bytes.len() <= THRESHOLD {
        return Response::from_parts(parts, Body::from(bytes));
    }
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    if parts.headers.get(header::VARY).is_none_or(|vary| vary != "Accept-Encoding") {
        parts.headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    let compressor = Compressor { rest: bytes, encoder: GzEncoder::new(Vec::new(), Compression::fast()) };
    Response::from_parts(parts, Body::from_stream(stream::unfold(Some(compressor), Compressor::next)))
}

/// A response that is compressed while it is sent, so that the client can decompress at the same time.
struct Compressor {
    rest: Bytes,
    encoder: GzEncoder<Vec<u8>>,
}

impl Compressor {
    /// The next part of the compressed response, and the rest.
    async fn next(this: Option<Self>) -> Option<(Result<Bytes, Infallible>, Option<Self>)> {
        const INVARIANT: &str = "memory can always be written to";
        let mut this = this?;
        while !this.rest.is_empty() {
            tokio::task::yield_now().await;
            let piece = this.rest.split_to(PIECE.min(this.rest.len()));
            this.encoder.write_all(&piece).expect(INVARIANT);
            let part = std::mem::take(this.encoder.get_mut());
            if !part.is_empty() {
                return Some((Ok(part.into()), Some(this)));
            }
        }
        Some((Ok(this.encoder.finish().expect(INVARIANT).into()), None))
    }
}
