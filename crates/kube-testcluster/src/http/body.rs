//! Reads request bodies within a size limit, decodes them by their media type (JSON, YAML or protobuf), and checks that
//! they name the kind of the path. The error messages are those of Go's decoders, because clients see them.

use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};

use super::field_validation::Strictness;
use super::scheme;
use super::status::ApiError;
use super::type_meta::{TypeMeta, parse_error};
use kube_machinery::codec::json::Json;
use kube_machinery::codec::protobuf;
use kube_machinery::codec::schema::{self, Decoded};
use kube_machinery::codec::yaml;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};

/// The largest request body, in bytes, as upstream.
pub(crate) const LIMIT: usize = 3 * 1024 * 1024;

pub(crate) async fn read(request: Request) -> Result<Bytes, ApiError> {
    match Limited::new(request.into_body(), LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(ApiError::too_large(LIMIT)),
        Err(error) => Err(ApiError::bad_request(format!("the body could not be read: {error}"))),
    }
}

/// Returns the media type without its parameters; empty if the header is missing.
pub(crate) fn media_type(headers: &HeaderMap) -> &str {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
    Protobuf,
}

impl Format {
    /// Returns the encoding that the Content-Type names. Upstream: `NegotiateInputSerializer`.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        match value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" if value.is_empty() => Ok(Self::Json),
            "application/json" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Ok(Self::Protobuf),
            _ => Err(ApiError::unsupported_body()),
        }
    }

    /// Reads a body as JSON. Protobuf bodies are read as `kind` and `api_version`, because protobuf does not name its
    /// fields. The error is Go's message.
    pub(crate) fn read(self, body: &[u8], kind: &str, api_version: &str) -> Result<Json, String> {
        self.read_strictly(body, kind, api_version).map(|read| read.json)
    }

    /// Reads a body as JSON, and lists the duplicate keys of a YAML body. Duplicate keys of a JSON body are found when
    /// it is decoded as its type.
    fn read_strictly(self, body: &[u8], kind: &str, api_version: &str) -> Result<yaml::Read, String> {
        let json = match self {
            Self::Json => Json::read(body).map_err(|why| parse_error(&why)),
            Self::Yaml => return yaml::read(body),
            Self::Protobuf => protobuf::decode(body, kind, api_version).map(Json::from),
        };
        json.map(|json| yaml::Read { json, duplicates: Vec::new() })
    }

    /// Decodes an object of a stored kind in the shape of its type, without kind and apiVersion.
    pub(crate) fn object(self, body: &[u8], resource: &Resource, strictness: Strictness) -> Result<Decoded, ApiError> {
        let (decoded, wrong) = self.object_of_any_kind(body, resource, strictness)?;
        wrong.map_or(Ok(decoded), |wrong| Err(wrong.error()))
    }

    /// Decodes an object like [`object`](Self::object), but a custom resource that names a wrong kind is no error: the
    /// wrong kind is returned beside the object, because upstream checks it only when it validates the object.
    pub(crate) fn object_of_any_kind(
        self,
        body: &[u8],
        resource: &Resource,
        strictness: Strictness,
    ) -> Result<(Decoded, Option<WrongType>), ApiError> {
        if resource.is_unstructured() {
            return self.unstructured(body, resource, strictness);
        }
        self.typed(body, resource.kind(), &resource.api_version(), strictness).map(|decoded| (decoded, None))
    }

    /// Decodes a custom resource. Upstream decodes it without a Go type: the body must name its kind, and a wrong kind
    /// is refused only when the object is validated.
    fn unstructured(
        self,
        body: &[u8],
        resource: &Resource,
        strictness: Strictness,
    ) -> Result<(Decoded, Option<WrongType>), ApiError> {
        if self == Self::Protobuf {
            return Err(ApiError::unsupported_body());
        }
        let (kind, api_version) = (resource.kind(), resource.api_version());
        let unrecognized = |why: String| {
            let beginning = beginning(body);
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type {kind}): {why} ({beginning})"
            ))
        };
        let read = self.read_strictly(body, kind, &api_version);
        let (yaml::Read { json, duplicates }, meta) =
            read.and_then(|read| TypeMeta::of(&read.json).map(|meta| (read, meta))).map_err(unrecognized)?;
        if meta.kind.is_empty() {
            return Err(unrecognized(format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(body))));
        }
        let refused = |why: String| {
            let version = version_of(&meta.api_version);
            ApiError::bad_request(format!("{} in version {version:?} cannot be handled as a {kind}: {why}", meta.kind))
        };
        if let Some(Json::Null) = last(&json, "apiVersion") {
            let found = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
            return Err(refused(found.to_owned()));
        }
        if meta.api_version != api_version {
            return Err(ApiError::bad_request(other_version(&meta.api_version, &api_version)));
        }
        let clears_managers = clears_managed_fields(&json);
        let mut decoded = resource.decode(json).map_err(refused)?;
        let wrong = wrong_type(resource, &meta.kind, &api_version, &decoded.value);
        if wrong.is_some() {
            decoded.faults.clear(); // the path's schema says nothing about an object of another kind
        }
        if clears_managers {
            decoded.value["metadata"]["managedFields"] = json!([]);
        }
        decoded.faults.splice(0..0, strictness.yaml_warnings(duplicates));
        let decoded = strictness.check(decoded).map_err(|why| refused(format!("strict decoding error: {why}")))?;
        Ok((decoded, wrong))
    }

    /// Decodes an object of any kind in the table of types.
    pub(crate) fn typed(
        self,
        body: &[u8],
        kind: &str,
        api_version: &str,
        strictness: Strictness,
    ) -> Result<Decoded, ApiError> {
        let read = self
            .read_strictly(body, kind, api_version)
            .and_then(|read| TypeMeta::of(&read.json).map(|meta| (read, meta)));
        let (yaml::Read { json, duplicates }, meta) = read.map_err(|why| {
            let beginning = beginning(body);
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type {kind}): {why} ({beginning})"
            ))
        })?;
        check_kind(body, &meta, &json, kind, api_version)?;
        let refused = |why: String| {
            let version = version_of(api_version);
            ApiError::bad_request(format!("{kind} in version {version:?} cannot be handled as a {kind}: {why}"))
        };
        let clears_managers = clears_managed_fields(&json);
        let mut decoded = schema::decode(schema::type_of(kind, api_version), json).map_err(refused)?;
        if clears_managers {
            decoded.value["metadata"]["managedFields"] = json!([]);
        }
        decoded.faults.splice(0..0, strictness.yaml_warnings(duplicates));
        strictness.check(decoded).map_err(|why| refused(format!("strict decoding error: {why}")))
    }
}

/// Returns true if a body has an empty list of `managedFields`, which asks to remove all managers. Decoding drops an
/// empty list, as Go's types do, so callers put it back.
fn clears_managed_fields(body: &Json) -> bool {
    let entries = last(body, "metadata").and_then(|metadata| last(metadata, "managedFields"));
    matches!(entries, Some(Json::Array(entries)) if entries.is_empty())
}

fn other_version(found: &str, expected: &str) -> String {
    format!("the API version in the data ({found}) does not match the expected API version ({expected})")
}

/// Returns the field of an object; the last one if the name occurs twice.
fn last<'j>(object: &'j Json, name: &str) -> Option<&'j Json> {
    let Json::Object(fields) = object else { return None };
    fields.iter().rfind(|(field, _)| field == name).map(|(_, value)| value)
}

/// Refuses an object whose namespace differs from the namespace in the path.
pub(crate) fn check_namespace(value: &Value, namespace: Option<&str>) -> Result<(), ApiError> {
    match (value["metadata"]["namespace"].as_str().unwrap_or_default(), namespace.unwrap_or_default()) {
        ("", _) | (_, "") => Ok(()), // upstream sets or clears the object's namespace
        (found, namespace) if found == namespace => Ok(()),
        _ => Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )),
    }
}

/// Refuses a body of another kind or version than the path's. A body without `kind` or `apiVersion` counts as the kind
/// of the path. Upstream decodes a body of another known kind as that kind, and then fails to convert it.
fn check_kind(body: &[u8], meta: &TypeMeta, json: &Json, kind: &str, api_version: &str) -> Result<(), ApiError> {
    let or = |text: &str, default: &str| if text.is_empty() { default.to_owned() } else { text.to_owned() };
    let (found, version) = (or(&meta.kind, kind), or(&meta.api_version, api_version));
    if version.ends_with('/') {
        let why = no_version(body);
        return Err(ApiError::bad_request(format!("{found} in version \"\" cannot be handled as a {kind}: {why}")));
    }
    if (found.as_str(), version.as_str()) == (kind, api_version) {
        return Ok(());
    }
    if found == kind && scheme::is_another_version(kind, &version) {
        return Err(ApiError::bad_request(other_version(&version, api_version)));
    }
    let why = scheme::refusal(&version, &found, json.clone(), kind, api_version);
    let version = version_of(&version);
    Err(ApiError::bad_request(format!("{found} in version {version:?} cannot be handled as a {kind}: {why}")))
}

/// The error for a custom resource that names a wrong kind or version. Upstream checks that when it validates the
/// object.
#[derive(Debug)]
pub(crate) enum WrongType {
    /// The kind or version is not the one of the path.
    Other(ApiError),
    /// The object has no version.
    Unversioned(ApiError),
}

impl WrongType {
    pub(crate) fn error(&self) -> ApiError {
        let (Self::Other(error) | Self::Unversioned(error)) = self;
        error.clone()
    }
}

/// Compares kind and version with those of the resource. Upstream: `ValidateTypeMeta` of the strategy of custom
/// resources.
fn wrong_type(resource: &Resource, kind: &str, version: &str, value: &Value) -> Option<WrongType> {
    let own_version = resource.api_version();
    let fields = [("kind", kind, resource.kind()), ("apiVersion", version, own_version.as_str())];
    let wrong = fields.into_iter().filter(|(_, written, own)| written != own);
    let causes: Causes =
        wrong.map(|(field, written, own)| Cause::invalid(field, written, &format!("must be {own}"))).collect();
    let name = value["metadata"]["name"].as_str().unwrap_or_default();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    (!causes.is_empty()).then(|| WrongType::Other(ApiError::invalid_kind(group, kind, name, causes)))
}

/// Checks the kind and version of a patched custom resource.
/// Fails if the object has no kind, or one that cannot be read.
pub(crate) fn wrong_type_of_patched(value: &Value, resource: &Resource) -> Result<Option<WrongType>, String> {
    // Upstream reads `kind` and `apiVersion` twice: first with these names in any letter case, then with the exact
    // names.
    TypeMeta::of_value(value)?;
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    let (kind, version) = (field("kind"), field("apiVersion"));
    if kind.is_empty() {
        return Err(format!("Object 'Kind' is missing in '{value}'"));
    }
    if version_of(version).is_empty() {
        let why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
        return Ok(Some(WrongType::Unversioned(ApiError::internal_error(why))));
    }
    Ok(wrong_type(resource, kind, version, value))
}

/// Refuses a patched object of another kind or version than these, in Go's words.
pub(crate) fn check_patched_kind(value: &Value, kind: &str, api_version: &str) -> Result<(), String> {
    let meta = TypeMeta::of_value(value)?;
    // Upstream: `gvkWithDefaults`. A group without a version gets the default version only if it is the group of the
    // kind.
    let version = match meta.api_version.strip_suffix('/') {
        Some(group) if api_version.rsplit_once('/').map_or("", |(own, _)| own) == group => "",
        Some(_) => return Err(no_version(value.to_string().as_bytes())),
        None => meta.api_version.as_str(),
    };
    let found = if meta.kind.is_empty() { kind } else { meta.kind.as_str() };
    let version = if version.is_empty() { api_version } else { version };
    if (found, version) == (kind, api_version) {
        return Ok(());
    }
    Err(scheme::refusal(version, found, value.clone().into(), kind, api_version))
}

/// Returns Go's message for a body that names a group without a version.
pub(crate) fn no_version(body: &[u8]) -> String {
    format!("Object 'apiVersion' is missing in '{}'", String::from_utf8_lossy(body))
}

/// Returns the version without its group.
fn version_of(api_version: &str) -> &str {
    api_version.rsplit('/').next().unwrap_or_default()
}

/// Returns the first bytes of a body for an error message: as text, or in hexadecimal digits if the body is not a JSON
/// object. Upstream: `summarizeData`.
fn beginning(body: &[u8]) -> String {
    const MOST: usize = 30;
    let (start, more) = if body.len() > MOST { (&body[..MOST], " ...") } else { (body, "") };
    match start.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(start)),
        Some(_) => format!("{}{more}", start.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
    }
}
