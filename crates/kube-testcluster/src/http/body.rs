//! Request bodies: read within a limit and decoded by their media type.

use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use super::field_validation::Strictness;
use super::query::Query;
use super::status::ApiError;
use crate::codec::protobuf;
use crate::codec::schema::{self, Decoded};
use crate::kinds::{Resource, served};
use crate::machinery::cause::Cause;
use crate::store::Commit;

/// Upstream's limit of a request body.
const LIMIT: usize = 3 * 1024 * 1024;

/// Reads the whole body.
pub(crate) async fn read(request: Request) -> Result<Bytes, ApiError> {
    match Limited::new(request.into_body(), LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::too_large(LIMIT)),
        Err(error) => Err(ApiError::bad_request(format!("the body could not be read: {error}"))),
    }
}

/// The media type without its parameters; empty if none was sent.
pub(crate) fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

/// Reads an object of a kind that is stored, in the shape of its type and without kind and apiVersion.
pub(crate) async fn object(request: Request, resource: &Resource, strictness: Strictness) -> Result<Decoded, ApiError> {
    typed(request, resource.kind, &resource.api_version(), strictness).await
}

/// The same for any kind in the table of types.
pub(crate) async fn typed(
    request: Request,
    kind: &'static str,
    api_version: &str,
    strictness: Strictness,
) -> Result<Decoded, ApiError> {
    let read_text = match media_type(request.headers()) {
        "" | "application/json" => from_json,
        "application/yaml" => from_yaml,
        "application/vnd.kubernetes.protobuf" => from_protobuf,
        _ => return Err(ApiError::unsupported_body()),
    };
    let body = read(request).await?;
    let value = read_text(&body, kind).map_err(|reason| {
        ApiError::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; {reason} ({})",
            beginning(&body)
        ))
    })?;
    check_kind(&value, kind, api_version)?;
    let refused = |why: String| {
        ApiError::bad_request(format!("{kind} in version {api_version:?} cannot be handled as a {kind}: {why}"))
    };
    let decoded = schema::decode(kind, value).map_err(refused)?;
    strictness.check(decoded).map_err(|why| refused(format!("strict decoding error: {why}")))
}

fn from_json(body: &[u8], _: &'static str) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| {
        let reason = if error.is_eof() { "unexpected end of JSON input".to_owned() } else { error.to_string() };
        format!("json parse error: {reason}")
    })
}

fn from_yaml(body: &[u8], _: &'static str) -> Result<Value, String> {
    let text = std::str::from_utf8(body).map_err(|error| format!("yaml: {error}"))?;
    serde_saphyr::from_str(text).map_err(|error| format!("yaml: {}", error.without_snippet()))
}

fn from_protobuf(body: &[u8], kind: &'static str) -> Result<Value, String> {
    protobuf::decode(body, kind)
}

/// Refuses an object of another namespace than that of the path.
pub(crate) fn check_namespace(value: &Value, namespace: Option<&str>) -> Result<(), ApiError> {
    match (value["metadata"]["namespace"].as_str().unwrap_or_default(), namespace.unwrap_or_default()) {
        ("", _) => Ok(()),
        (found, namespace) if found == namespace => Ok(()),
        _ => Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )),
    }
}

/// Refuses a body of another kind or version. A body without `kind` or `apiVersion` counts as the kind of the path.
fn check_kind(value: &Value, kind: &str, api_version: &str) -> Result<(), ApiError> {
    let field = |name: &str, default: &str| match value[name].as_str() {
        None | Some("") => default.to_owned(),
        Some(text) => text.to_owned(),
    };
    let (found, version) = (field("kind", kind), field("apiVersion", api_version));
    if (found.as_str(), version.as_str()) == (kind, api_version) {
        return Ok(());
    }
    let known = served().any(|row| row.kind == found && row.api_version() == version);
    let why = if known {
        format!("converting (v1.{found}) to (core.{kind}): unknown conversion")
    } else {
        no_kind(&found, &version)
    };
    Err(ApiError::bad_request(format!("{found} in version {version:?} cannot be handled as a {kind}: {why}")))
}

pub(crate) fn no_kind(kind: &str, version: &str) -> String {
    format!(r#"no kind {kind:?} is registered for version {version:?} in scheme "pkg/api/legacyscheme/scheme.go:30""#)
}

/// The first bytes of a body, for an error message.
fn beginning(body: &[u8]) -> String {
    match body.len() {
        0 => "<empty>".to_owned(),
        1..=30 => String::from_utf8_lossy(body).into_owned(),
        _ => format!("{} ...", String::from_utf8_lossy(&body[..30])),
    }
}

/// Reads `dryRun` from the query or from DeleteOptions.
pub(crate) fn commit(dry_run: &[&str], options: &'static str) -> Result<Commit, ApiError> {
    match dry_run {
        [] => Ok(Commit::Really),
        values if values.iter().all(|value| *value == "All") => Ok(Commit::Pretend),
        values => Err(ApiError::invalid_options(
            options,
            vec![Cause::unsupported("dryRun", &format!("{values:?}"), &["All"])],
        )),
    }
}

/// Reads `dryRun` from the query.
pub(crate) fn query_commit(query: &Query, options: &'static str) -> Result<Commit, ApiError> {
    commit(&query.all("dryRun"), options)
}
