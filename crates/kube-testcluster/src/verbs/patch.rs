//! PATCH of an object or of its status.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use json_patch::jsonptr::Pointer;
use json_patch::{AddOperation, Patch, PatchOperation};
use serde_json::{Map, Value};

use super::owners::{self, Moment};
use super::{Call, answer, key, update};
use crate::codec::depth::{MOST_LEVELS, levels};
use crate::codec::go_text::GoMap;
use crate::codec::json::{Json, MOST_FAULTS};
use crate::codec::schema::{Decoded, from_map, json_type};
use crate::codec::strategic_merge::{self, Refusal};
use crate::http::body;
use crate::http::field_validation::{Strictness, warn};
use crate::http::query::Query;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::WriteOptions;
use crate::machinery::quote::quote;
use crate::store::object::Opened;
use crate::store::{Next, Store};

/// Upstream's limit for a JSON patch.
const MOST_OPERATIONS: usize = 10_000;

/// A patch as it was read. What is wrong with it is told only if there is an object to apply it to.
pub(super) struct PatchBody {
    change: Result<Change, ApiError>,
    /// What a strict decoder refuses in the patch itself.
    faults: Vec<String>,
}

enum Change {
    /// RFC 7396: null removes, objects are merged, everything else is replaced.
    Merge(Value),
    /// A strategic merge patch: it merges lists by their type.
    Strategic(Map<String, Value>),
    /// RFC 6902.
    Operations(Patch),
}

pub(crate) async fn patch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let (patch, WriteOptions { commit, strictness }) = PatchBody::read(request, &query).await?;
    let warnings = Mutex::default();
    let change = |current| patched(&store, current, &target, &patch, strictness, &warnings);
    let patched = store.guaranteed_update(target.resource, &key(&target), commit, change).await;
    let response = patched.map_or_else(IntoResponse::into_response, |object| answer(StatusCode::OK, &object));
    Ok(warn(response, &warnings.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// The state after a patch. What is to be warned of replaces what an earlier try has found.
async fn patched(
    store: &Store,
    current: Arc<Opened>,
    target: &Target,
    patch: &PatchBody,
    strictness: Strictness,
    warnings: &Mutex<Vec<String>>,
) -> Result<Next, ApiError> {
    let Decoded { mut value, mut faults } = apply(&current, patch, strictness).await?;
    let next = update::check_name(target, &value).and_then(|()| {
        faults.extend(owners::deduplicate(&mut value, Moment::AfterAdmission));
        update::next(store, &current, value, target.subresource)
    });
    *warnings.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    next
}

impl PatchBody {
    pub(super) async fn read(request: Request, query: &Query) -> Result<(Self, WriteOptions), ApiError> {
        let read = match body::media_type(request.headers()) {
            "application/merge-patch+json" => merge,
            "application/strategic-merge-patch+json" => strategic,
            "application/json-patch+json" => operations,
            _ => return Err(ApiError::unsupported_patch()),
        };
        let body = body::read(request).await?;
        let options = WriteOptions::of_patch(query)?;
        let patch = Json::read(&body).map_err(|_| ApiError::bad_request("invalid JSON patch"))?;
        Ok((read(patch, options.strictness), options))
    }

    /// Applies the patch to an object of this kind.
    pub(super) async fn apply(&self, kind: &str, value: &mut Value) -> Result<(), ApiError> {
        match self.change.as_ref().map_err(ApiError::clone)? {
            Change::Merge(patch) => json_patch::merge(value, patch),
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

/// How many bytes the copy operations of one patch may add.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// After how many operations other requests get their turn. One operation can move a list of a megabyte.
const OPERATIONS_AT_ONCE: usize = 16;

/// Applies the operations one by one, within limits: without them, a few copies of copies could fill any memory, and a few
/// moves could nest a value deeper than it can be read.
async fn operate(value: &mut Value, patch: &Patch) -> Result<(), ApiError> {
    let mut copied = 0;
    for (n, operation) in patch.iter().enumerate() {
        if n % OPERATIONS_AT_ONCE == OPERATIONS_AT_ONCE - 1 {
            tokio::task::yield_now().await;
        }
        if let PatchOperation::Copy(copy) = operation
            && let Ok(source) = copy.from.resolve(value)
        {
            copied += source.to_string().len();
        }
        if copied > MOST_COPIED || levels_after(operation, value) > MOST_LEVELS {
            return Err(ApiError::unprocessable());
        }
        if is_impossible(operation) {
            return Err(ApiError::unprocessable());
        }
        let operation = match operation {
            PatchOperation::Replace(replace) if lacks(value, &replace.path) => {
                let (path, value) = (replace.path.clone(), replace.value.clone());
                &PatchOperation::Add(AddOperation { path, value })
            }
            PatchOperation::Copy(copy) if lacks(value, &copy.from) => {
                &PatchOperation::Add(AddOperation { path: copy.path.clone(), value: Value::Null })
            }
            PatchOperation::Test(test) if test.value.is_null() && lacks(value, &test.path) => continue,
            operation => operation,
        };
        json_patch::patch_unsafe(value, std::slice::from_ref(operation)).map_err(|_| ApiError::unprocessable())?;
    }
    Ok(())
}

/// Whether upstream's library has no such operation on the whole document: it only tests it, and replaces it by what is no
/// single value.
fn is_impossible(operation: &PatchOperation) -> bool {
    let (whole, source) = match operation {
        PatchOperation::Test(_) => return false,
        PatchOperation::Replace(replace) => {
            return replace.path.is_root() && !replace.value.is_object() && !replace.value.is_array();
        }
        PatchOperation::Add(add) => (&add.path, None),
        PatchOperation::Remove(remove) => (&remove.path, None),
        PatchOperation::Move(moved) => (&moved.path, Some(&moved.from)),
        PatchOperation::Copy(copy) => (&copy.path, Some(&copy.from)),
    };
    whole.is_root() || source.is_some_and(|source| source.is_root())
}

/// Whether an object has no field of this path. Upstream's library (`evanphx/json-patch`) replaces it all the same, and tests and
/// copies it as null.
fn lacks(value: &Value, path: &Pointer) -> bool {
    let Some((parent, _)) = path.split_back() else { return false };
    parent.resolve(value).is_ok_and(Value::is_object) && path.resolve(value).is_err()
}

/// How deep the value of an operation nests at the place that it gets.
fn levels_after(operation: &PatchOperation, value: &Value) -> usize {
    let inserted = match operation {
        PatchOperation::Add(add) => levels(&add.value),
        PatchOperation::Replace(replace) => levels(&replace.value),
        PatchOperation::Move(moved) => moved.from.resolve(value).map(levels).unwrap_or_default(),
        PatchOperation::Copy(copy) => copy.from.resolve(value).map(levels).unwrap_or_default(),
        PatchOperation::Remove(_) | PatchOperation::Test(_) => 0,
    };
    operation.path().count() + inserted
}

fn duplicates(patch: &Json) -> Vec<String> {
    patch.duplicates().iter().map(|path| format!("duplicate field {}", quote(path))).collect()
}

/// Go's message for a patch that is no object.
fn no_map(patch: &Json) -> String {
    format!("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", patch.type_name())
}

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
        Json::Null => Ok(Change::Strategic(Map::new())), // a patch that changes nothing
        Json::Object(fields) => {
            Ok(Change::Strategic(fields.into_iter().map(|(name, value)| (name, value.into())).collect()))
        }
        other => Err(ApiError::bad_request(no_map(&other))),
    };
    PatchBody { change, faults }
}

fn operations(patch: Json, strictness: Strictness) -> PatchBody {
    let mut faults = Vec::new();
    let checked = if strictness == Strictness::Ignore { Ok(()) } else { check_operations(&patch, &mut faults) };
    let change = checked
        .map_err(|why| ApiError::bad_request(format!("error decoding patch: {why}")))
        .and_then(|()| into_operations(patch));
    PatchBody { change, faults }
}

/// Checks the fields of operations as Go's type has them.
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
    let told = duplicates.iter().take(MOST_FAULTS - faults.len());
    faults.extend(told.map(|path| format!("json patch duplicate field {}", quote(path))));
    Ok(())
}

fn into_operations(patch: Json) -> Result<Change, ApiError> {
    let mut patch = Value::from(patch);
    let operations = match &mut patch {
        Value::Null => return Ok(Change::Operations(Patch::default())),
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
            operation.entry("value").or_insert(Value::Null); // what is left out is null
        }
    }
    // As upstream, a list with an operation that does not exist fails like one that does not apply.
    serde_json::from_value(patch).map(Change::Operations).map_err(|_| ApiError::unprocessable())
}

/// The patched object, decoded as its type.
async fn apply(current: &Opened, change: &PatchBody, strictness: Strictness) -> Result<Decoded, ApiError> {
    let resource = current.resource;
    let patched = async || {
        let mut value = current.value.clone();
        value["kind"] = resource.kind.into();
        value["apiVersion"] = resource.api_version().into();
        change.apply(resource.kind, &mut value).await.map(|()| value)
    };
    let mut value = patched().await?;
    let fits = match &change.change {
        Ok(Change::Strategic(_)) => from_map(resource.kind, &mut value),
        _ => body::check_patched_kind(&value, resource),
    };
    let decoded = fits.and_then(|()| resource.shape(value)).and_then(|mut decoded| {
        if matches!(change.change, Ok(Change::Strategic(_))) {
            decoded.faults.sort(); // as the converter does
        }
        decoded.faults.splice(0..0, change.faults.iter().cloned());
        strictness.check(decoded).map_err(|why| format!("strict decoding error: {why}"))
    });
    match (decoded, &change.change) {
        (Ok(decoded), _) => Ok(decoded),
        (Err(why), Ok(Change::Strategic(patch))) => Err(ApiError::undecodable_patch(&GoMap(patch).to_string(), &why)),
        (Err(why), _) => Err(ApiError::undecodable_patch(&patched().await?.to_string(), &why)),
    }
}
