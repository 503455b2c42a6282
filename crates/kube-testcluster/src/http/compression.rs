//! Compresses large responses, mostly lists, for clients that accept gzip, as upstream does. It applies to requests for
//! resources, and to the OpenAPI v2 document.

use std::io::Write;

use axum::body::{Body, BodyDataStream, HttpBody as _};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::{TryStreamExt, stream};
use http::{HeaderMap, HeaderValue, header};

use super::represent::Verbatim;
use super::sized_body::PIECE;

/// The response size in bytes beyond which upstream compresses.
const THRESHOLD: u64 = 128 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcceptedEncoding {
    Gzip,
    Plain,
}

impl AcceptedEncoding {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let offered = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let gzip = offered.split(',').any(|one| one.trim() == "gzip"); // upstream ignores weights such as `q=0`
        if gzip { Self::Gzip } else { Self::Plain }
    }
}

/// Compresses a response that is large enough, except a log. A watch has no known length, so it is never compressed.
pub(crate) fn compress(accepted: AcceptedEncoding, response: Response) -> Response {
    let is_large = response.body().size_hint().exact().is_some_and(|length| length > THRESHOLD);
    let is_verbatim = response.extensions().get::<Verbatim>().is_some();
    if !is_large || is_verbatim || accepted == AcceptedEncoding::Plain {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    if parts.headers.get(header::VARY).is_none_or(|vary| vary != "Accept-Encoding") {
        parts.headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
    let encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let compressor = Compressor { body: body.into_data_stream(), rest: Bytes::new(), encoder };
    Response::from_parts(parts, Body::from_stream(stream::try_unfold(Some(compressor), Compressor::next)))
}

/// A response that is compressed while it is sent, so that the client can decompress at the same time.
struct Compressor {
    body: BodyDataStream,
    /// The bytes of the body that are read and not compressed yet.
    rest: Bytes,
    encoder: GzEncoder<Vec<u8>>,
}

impl Compressor {
    /// Returns the next part of the compressed response, and the state for the part after it.
    async fn next(this: Option<Self>) -> Result<Option<(Bytes, Option<Self>)>, axum::Error> {
        const INVARIANT: &str = "memory can always be written to";
        let Some(mut this) = this else { return Ok(None) };
        while let Some(piece) = this.piece().await? {
            this.encoder.write_all(&piece).expect(INVARIANT);
            let part = std::mem::take(this.encoder.get_mut());
            if !part.is_empty() {
                return Ok(Some((part.into(), Some(this))));
            }
        }
        Ok(Some((this.encoder.finish().expect(INVARIANT).into(), None)))
    }

    /// Returns the next bytes to compress. Yields first, because compressing is slow and other tasks must run in
    /// between.
    async fn piece(&mut self) -> Result<Option<Bytes>, axum::Error> {
        tokio::task::yield_now().await;
        while self.rest.is_empty() {
            match self.body.try_next().await? {
                Some(bytes) => self.rest = bytes,
                None => return Ok(None),
            }
        }
        Ok(Some(self.rest.split_to(PIECE.min(self.rest.len()))))
    }
}
