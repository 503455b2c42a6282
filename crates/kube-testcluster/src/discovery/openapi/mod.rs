//! Serves the OpenAPI documents (`/openapi/v2` and `/openapi/v3`), for clients that explain the API or validate
//! objects, such as `kubectl explain`. The documents are Kubernetes' own, reduced to the kinds that this server has;
//! those of custom resources are made from their definitions. This file has the HTTP side: forms, ETags and caching.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use jiff::{Timestamp, ToSpan, tz::TimeZone};

use self::documents::Document;
use super::Segment;
use crate::http::compression::{AcceptedEncoding, compress};
use crate::http::query::Query;
use crate::http::{negotiation, response};
use crate::store::Store;
use kube_machinery::conventions::fnv::fnv;
use kube_machinery::value::{Value, json};

mod custom;
mod documents;

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// The media type that clients ask for. Responses use [`PROTOBUF`], because a media type must not contain `@`.
const PROTOBUF_REQUESTED: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// Serves the whole API in one document. As upstream, the HTTP method does not matter, here and below.
pub(crate) async fn v2(State(store): State<Arc<Store>>, headers: HeaderMap) -> Response {
    let Some(document) = documents::find("v2") else { return empty(StatusCode::NOT_FOUND) };
    let mut answer = match DocumentForm::negotiate(document, &headers) {
        Some(form) => form.serve(document, &headers, &store),
        None => empty(StatusCode::NOT_ACCEPTABLE),
    };
    set(&mut answer, header::VARY, "Accept-Encoding"); // upstream's handler sets it even if it does not compress
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    compress(AcceptedEncoding::of(&headers), answer)
}

/// Serves the index of the documents by group version.
pub(crate) async fn index(State(store): State<Arc<Store>>, headers: HeaderMap) -> Response {
    let Some(index) = documents::find("v3") else { return empty(StatusCode::NOT_FOUND) };
    let custom = custom::index(&store.catalog());
    if custom.is_empty() {
        return DocumentForm { content_type: JSON, body: index.json.clone() }.serve(index, &headers, &store);
    }
    let mut paths: Value = serde_json::from_slice(&index.json).unwrap_or_default();
    for (name, hash) in custom {
        paths["paths"][&name] = json!({"serverRelativeURL": format!("/openapi/v3/{name}?hash={hash}")});
    }
    let json: Bytes = paths.to_string().into_bytes().into();
    let index = Document { etag: format!("{:016X}", fnv(&json)), json, protobuf: None };
    DocumentForm { content_type: JSON, body: index.json.clone() }.serve(&index, &headers, &store)
}

/// Serves the document of a group version or a group. The response to a request with the document's hash may be cached,
/// because the URL changes with the document. A request with another hash is redirected to the right URL.
pub(crate) async fn v3(
    State(store): State<Arc<Store>>,
    name: Segment<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let Ok(Path(name)) = name else { return empty(StatusCode::NOT_FOUND) };
    let custom = custom::find(&store, &name);
    let Some(document) = custom.as_ref().or_else(|| documents::find(&format!("v3/{name}"))) else {
        return empty(StatusCode::NOT_FOUND);
    };
    let Some(form) = DocumentForm::negotiate(document, &headers) else {
        return depends_on_accept(empty(StatusCode::NOT_ACCEPTABLE));
    };
    let query = Query::parse(&uri);
    let answer = match query.get("hash").unwrap_or_default() {
        "" => form.serve(document, &headers, &store),
        hash if hash == document.etag => cached_for_a_year(form.serve(document, &headers, &store), store.clock.time()),
        _ => {
            let mut answer = empty(StatusCode::MOVED_PERMANENTLY);
            set(&mut answer, header::CONTENT_TYPE, form.content_type);
            set(&mut answer, header::ETAG, &format!("\"{}\"", document.etag));
            set(&mut answer, header::LOCATION, &format!("/openapi/v3/{name}?hash={}", document.etag));
            answer
        }
    };
    depends_on_accept(answer)
}

struct DocumentForm {
    content_type: &'static str,
    body: Bytes,
}

impl DocumentForm {
    /// Returns the first form that the client accepts and the document has.
    fn negotiate(document: &Document, headers: &HeaderMap) -> Option<Self> {
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("*/*");
        negotiation::clauses(accept).iter().find_map(|clause| match clause.name {
            JSON | "application/*" | "*/*" => Some(Self { content_type: JSON, body: document.json.clone() }),
            PROTOBUF | PROTOBUF_REQUESTED => Some(Self { content_type: PROTOBUF, body: document.protobuf.clone()? }),
            _ => None,
        })
    }

    /// Returns the document, or 304 if the client's ETag is current.
    fn serve(self, document: &Document, headers: &HeaderMap, store: &Store) -> Response {
        let etag = format!("\"{}\"", document.etag);
        let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok()).unwrap_or_default();
        if known.split(',').map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == etag) {
            let mut answer = empty(StatusCode::NOT_MODIFIED);
            set(&mut answer, header::ETAG, &etag);
            return answer;
        }
        let mut answer = response::answer(StatusCode::OK, self.content_type, Body::from(self.body));
        set(&mut answer, header::ETAG, &etag);
        set(&mut answer, header::LAST_MODIFIED, &date(store.clock.started(), "GMT"));
        answer
    }
}

fn cached_for_a_year(mut answer: Response, now: Timestamp) -> Response {
    let expiry = now.to_zoned(TimeZone::UTC).checked_add(1.year()).map_or(now, |later| later.timestamp());
    set(&mut answer, header::CACHE_CONTROL, "public, immutable");
    set(&mut answer, header::EXPIRES, &date(expiry, "UTC")); // upstream names the zone like this
    answer
}

fn depends_on_accept(mut answer: Response) -> Response {
    set(&mut answer, header::VARY, "Accept");
    answer
}

fn empty(code: StatusCode) -> Response {
    let mut answer = response::answer(code, JSON, Body::empty());
    answer.headers_mut().remove(header::CONTENT_TYPE);
    answer
}

fn set(answer: &mut Response, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("hashes, names of documents and dates are plain text");
    answer.headers_mut().insert(name, value);
}

fn date(time: Timestamp, zone: &str) -> String {
    format!("{} {zone}", time.strftime("%a, %d %b %Y %H:%M:%S"))
}
