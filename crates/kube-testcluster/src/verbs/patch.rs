//! PATCH of an object or of its status: a JSON patch, a merge patch or a strategic merge patch (server-side apply is in
//! `apply.rs`). The patch is applied to the current object, and the result is then handled like the body of a PUT.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Request;
use http::{HeaderMap, StatusCode};

use super::owners::{self, Moment};
use super::ownership::Writer;
use super::{Call, apply, conversion, key, next_state, update};
use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, WrongType};
use crate::http::field_validation::Strictness;
use crate::http::json_patch::operate;
use crate::http::query::Query;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::settings::ManagedFields;
use crate::store::object::Opened;
use crate::store::{Commit, Next, Store};
use kube_machinery::codec::go_text::GoMap;
use kube_machinery::codec::json::{Json, MOST_FAULTS};
use kube_machinery::codec::merge_patch;
use kube_machinery::codec::schema::{Decoded, from_map, json_type};
use kube_machinery::codec::strategic_merge::{self, Refusal};
use kube_machinery::conventions::quote::quote;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Map, Value, json};

const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// The most operations in a JSON patch, as upstream.
const MOST_OPERATIONS: usize = 10_000;

/// A parsed patch. An error in it is reported only if there is an object to apply it to.
pub(super) struct PatchBody {
    change: Result<Change, ApiError>,
    /// The duplicate and unknown fields of the patch itself.
    faults: Vec<String>,
}

enum Change {
    /// RFC 7396: null removes a field, objects are merged, everything else is replaced.
    Merge(Value),
    /// A strategic merge patch, which merges lists by their Go type.
    Strategic(Map),
    /// RFC 6902.
    Operations(::json_patch::Patch),
}

pub(crate) async fn patch(call: Call) -> Result<Answer, ApiError> {
    if apply::is_apply(call.request.headers(), call.store.settings.managed_fields) {
        return apply::apply(call).await;
    }
    let Call { store, target, query, request } = call;
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let (patch, options) = PatchBody::read(request, &query).await?;
    let gate = Gate::of(&store, &target, &user, options.commit, || write_options::fields(&query));
    let (written, mut warnings) = write(&store, &target, &gate, &patch, options, &writer).await;
    warnings.extend(gate.warnings());
    let answer = written.map(|object| Answer::object(StatusCode::OK, object.object().clone()));
    Ok(Answer::from(answer).with_warnings(warnings))
}

/// Patches an object. Returns the warnings even if the patch fails.
pub(super) async fn write(
    store: &Store,
    target: &Target,
    gate: &Gate<'_>,
    patch: &PatchBody,
    options: WriteOptions,
    writer: &Writer,
) -> (Result<Arc<Opened>, ApiError>, Vec<String>) {
    let warnings = Mutex::default();
    let with = Patching { target, gate, patch, options, writer };
    let next = |current| patched(store, current, with, &warnings);
    let change = |current| conversion::changed(store, target.into(), current, next);
    let written = match key(target) {
        Ok(key) => store.guaranteed_update(&target.resource, &key, options.commit, change).await,
        Err(error) => Err(error),
    };
    (written, warnings.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A patch, its target and its options.
#[derive(Clone, Copy)]
pub(super) struct Patching<'a> {
    pub(super) target: &'a Target,
    pub(super) gate: &'a Gate<'a>,
    pub(super) patch: &'a PatchBody,
    pub(super) options: WriteOptions,
    pub(super) writer: &'a Writer,
}

/// Computes the state after a patch. The store calls it again if another request has written the object meanwhile; the
/// warnings then replace those of the earlier attempt.
async fn patched(
    store: &Store,
    current: Arc<Opened>,
    with: Patching<'_>,
    warnings: &Mutex<Vec<String>>,
) -> Result<Next, ApiError> {
    let Patching { target, gate, patch, options, writer } = with;
    let (decoded, wrong) = apply_and_decode(&current, target, patch, options.strictness).await?;
    let Decoded { value, mut faults } = decoded;
    let mut value = target.served.stored_form_of(value);
    if options.commit == Commit::Really {
        target.resource.replace_null_bytes(&mut value);
    }
    let named = update::check_name(target, &value);
    if named.is_ok() {
        faults.extend(owners::deduplicate(&mut value, Moment::AfterAdmission));
    }
    *warnings.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    named?;
    update::check_type(wrong.as_ref(), target.subresource, &current, &value)?;
    next_state::admitted(store, gate, &current, &target.served, value, target.subresource, writer).await
}

/// Refuses a body whose media type is no patch format.
pub(crate) fn check_media_type(
    headers: &HeaderMap,
    resource: &Resource,
    managed_fields: ManagedFields,
) -> Result<(), ApiError> {
    if apply::is_apply(headers, managed_fields) {
        return Ok(());
    }
    let read = reader(headers);
    if resource.is_unstructured() && (read.is_err() || body::media_type(headers) == STRATEGIC) {
        return Err(ApiError::unsupported_patch_of_custom_resource());
    }
    read.map(drop)
}

/// Returns the parser for the media type of the patch.
fn reader(headers: &HeaderMap) -> Result<fn(Json, Strictness) -> PatchBody, ApiError> {
    match body::media_type(headers) {
        "application/merge-patch+json" => Ok(merge),
        STRATEGIC => Ok(strategic),
        "application/json-patch+json" => Ok(operations),
        _ => Err(ApiError::unsupported_patch()),
    }
}

impl PatchBody {
    pub(super) async fn read(request: Request, query: &Query) -> Result<(Self, WriteOptions), ApiError> {
        let read = reader(request.headers())?;
        let body = body::read(request).await?;
        let options = WriteOptions::of_patch(query)?;
        let patch = Json::read(&body).map_err(|_| ApiError::bad_request("invalid JSON patch"))?;
        Ok((read(patch, options.strictness), options))
    }

    /// Returns a merge patch of the cluster itself.
    pub(super) fn of(patch: Value) -> Self {
        Self { change: Ok(Change::Merge(patch)), faults: Vec::new() }
    }

    /// Returns a strategic merge patch of the cluster itself. A value that is no object changes nothing.
    pub(super) fn strategic(patch: Value) -> Self {
        let Value::Object(patch) = patch else { return Self::of(Value::Object(Map::new())) };
        Self { change: Ok(Change::Strategic(patch)), faults: Vec::new() }
    }

    /// Returns the patched object with its own faults and those of the patch, which become warnings. Under `Strict`,
    /// returns an error that lists the faults instead.
    pub(super) fn checked(&self, mut patched: Decoded, strictness: Strictness) -> Result<Decoded, String> {
        patched.faults.splice(0..0, self.faults.iter().cloned());
        strictness.check(patched).map_err(|why| format!("strict decoding error: {why}"))
    }

    /// Applies the patch to an object. A strategic merge patch finds in the Go type `kind` how to merge lists.
    pub(super) async fn apply(&self, kind: &str, value: &mut Value) -> Result<(), ApiError> {
        match self.change.as_ref().map_err(ApiError::clone)? {
            Change::Merge(patch) => merge_patch::merge(value, patch),
            Change::Strategic(patch) => {
                strategic_merge::merge(kind, value, patch.clone()).map_err(|refusal| match refusal {
                    Refusal::BadFormat(why) => ApiError::bad_request(why),
                    Refusal::Other(why) => ApiError::internal(why),
                })?;
            }
            Change::Operations(patch) => operate(value, patch).await?,
        }
        Ok(())
    }
}

/// Returns the warnings about duplicate fields of a patch.
fn duplicates(patch: &Json) -> Vec<String> {
    patch.duplicates().iter().map(|path| format!("duplicate field {}", quote(path))).collect()
}

/// Returns Go's message for a patch that is not an object.
pub(super) fn no_map(patch: &Json) -> String {
    format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", patch.type_name())
}

/// Parses a merge patch. As upstream, a body that is neither an object nor null gets another message if field
/// validation is off.
fn merge(patch: Json, strictness: Strictness) -> PatchBody {
    let faults = duplicates(&patch);
    let change = match &patch {
        Json::Object(_) => Ok(Change::Merge(patch.into())),
        Json::Null => Err(ApiError::bad_request("Invalid JSON Patch")),
        other if strictness != Strictness::Ignore => {
            Err(ApiError::bad_request(format!("error decoding patch: {}", no_map(other))))
        }
        _ => Err(ApiError::bad_request("Invalid JSON Patch")),
    };
    PatchBody { change, faults }
}

fn strategic(patch: Json, _: Strictness) -> PatchBody {
    let faults = duplicates(&patch);
    let change = match patch {
        Json::Null => Ok(Change::Strategic(Map::new())), // this patch changes nothing
        Json::Object(fields) => {
            Ok(Change::Strategic(fields.into_iter().map(|(name, value)| (name, value.into())).collect()))
        }
        other => Err(ApiError::bad_request(no_map(&other))),
    };
    PatchBody { change, faults }
}

/// Parses a JSON patch. Its operations are checked only if field validation is on.
fn operations(patch: Json, strictness: Strictness) -> PatchBody {
    let mut faults = Vec::new();
    let checked = if strictness == Strictness::Ignore { Ok(()) } else { check_operations(&patch, &mut faults) };
    let change = checked
        .map_err(|why| ApiError::bad_request(format!("error decoding patch: {why}")))
        .and_then(|()| into_operations(patch));
    PatchBody { change, faults }
}

/// Checks the fields of the operations against Go's type. Unknown and duplicate fields are added to `faults`.
fn check_operations(patch: &Json, faults: &mut Vec<String>) -> Result<(), String> {
    const TEXTS: [&str; 3] = ["op", "path", "from"];
    let list = match patch {
        Json::Null => return Ok(()),
        Json::Array(list) => list,
        other => {
            let found = other.type_name();
            return Err(format!("json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"));
        }
    };
    for (i, operation) in list.iter().enumerate() {
        let fields = match operation {
            Json::Null => continue,
            Json::Object(fields) => fields,
            other => {
                let found = other.type_name();
                return Err(format!("json: cannot unmarshal {found} into Go value of type handlers.jsonPatchOp"));
            }
        };
        for (name, value) in fields {
            if TEXTS.contains(&name.as_str()) {
                if !matches!(value, Json::String(_) | Json::Null) {
                    let found = value.type_name();
                    return Err(format!(
                        "json: cannot unmarshal {found} into Go struct field jsonPatchOp.{name} of type string"
                    ));
                }
            } else if name != "value" && faults.len() < MOST_FAULTS {
                faults.push(format!("json patch unknown field {}", quote(&format!("[{i}].{name}"))));
            }
        }
    }
    let duplicates = patch.duplicates();
    let shown = duplicates.iter().take(MOST_FAULTS - faults.len());
    faults.extend(shown.map(|path| format!("json patch duplicate field {}", quote(path))));
    Ok(())
}

/// Converts a JSON patch to operations, with upstream's errors.
fn into_operations(patch: Json) -> Result<Change, ApiError> {
    let mut patch = Value::from(patch);
    let operations = match &mut patch {
        Value::Null => return Ok(Change::Operations(::json_patch::Patch::default())),
        Value::Array(operations) => operations,
        other => {
            let found = json_type(other);
            return Err(ApiError::bad_request(format!(
                "json: cannot unmarshal {found} into Go value of type jsonpatch.Patch"
            )));
        }
    };
    if operations.len() > MOST_OPERATIONS {
        let count = operations.len();
        let why = format!("The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {count}");
        return Err(ApiError::too_large_because(&why));
    }
    for operation in operations {
        if let Value::Object(operation) = operation {
            operation.entry("value").or_insert(Value::Null); // a missing value is null
        }
    }
    // As upstream, a list with an unknown operation fails like one that does not apply.
    kube_machinery::value::from_value(patch).map(Change::Operations).map_err(|_| ApiError::unprocessable())
}

/// Returns the patched object, decoded as its type, and the wrong kind or version that a custom resource got.
async fn apply_and_decode(
    current: &Opened,
    target: &Target,
    change: &PatchBody,
    strictness: Strictness,
) -> Result<(Decoded, Option<WrongType>), ApiError> {
    let resource = &target.served;
    let before = resource.served_form_of(current.value.clone());
    let patched = async || {
        let mut value = before.clone();
        value["kind"] = resource.kind().into();
        value["apiVersion"] = resource.api_version().into();
        change.apply(resource.go_type(), &mut value).await.map(|()| value)
    };
    let mut value = patched().await?;
    let clears_managers = value["metadata"]["managedFields"] == json!([]); // Go's types drop an empty list
    let fits = match &change.change {
        Ok(Change::Strategic(_)) => from_map(resource.go_type(), &mut value, &before).map(|()| None),
        _ if resource.is_unstructured() => body::wrong_type_of_patched(&value, resource),
        _ => body::check_patched_kind(&value, resource.kind(), &resource.api_version()).map(|()| None),
    };
    let decoded = fits.and_then(|wrong| Ok((resource.decode_change(value, &before)?, wrong)));
    let decoded = decoded.and_then(|(mut decoded, wrong)| {
        if wrong.is_some() {
            decoded.faults.clear(); // they come from the schema of the right kind
        }
        if matches!(change.change, Ok(Change::Strategic(_))) {
            decoded.faults.sort(); // as upstream's converter does
        }
        Ok((change.checked(decoded, strictness)?, wrong))
    });
    match (decoded, &change.change) {
        (Ok((mut decoded, wrong)), _) => {
            if clears_managers {
                decoded.value["metadata"]["managedFields"] = json!([]);
            }
            Ok((decoded, wrong))
        }
        (Err(why), Ok(Change::Strategic(patch))) => Err(ApiError::undecodable_patch(&GoMap(patch).to_string(), &why)),
        (Err(why), _) => Err(ApiError::undecodable_patch(&patched().await?.to_string(), &why)),
    }
}
