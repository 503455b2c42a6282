//! PATCH of an object or of its status.

use axum::extract::Request;
use axum::response::Response;
use http::StatusCode;
use json_patch::{Patch, PatchOperation};
use serde_json::{Map, Value};

use super::{Call, answer, key, update};
use crate::codec::depth::{MOST_LEVELS, levels};
use crate::codec::schema::{Decoded, json_type};
use crate::codec::strategic_merge;
use crate::http::body;
use crate::http::field_validation::{Strictness, warn};
use crate::http::query::Query;
use crate::http::status::ApiError;
use crate::machinery::cause::Cause;
use crate::store::object::Opened;

/// Upstream's limit for a JSON patch.
const MOST_OPERATIONS: usize = 10_000;

/// The body of a patch.
pub(super) enum PatchBody {
    /// RFC 7396: null removes, objects are merged, everything else is replaced.
    Merge(Value),
    /// A strategic merge patch: it merges lists by their type.
    Strategic(Map<String, Value>),
    /// RFC 6902.
    Operations(Patch),
}

pub(crate) async fn patch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let commit = body::query_commit(&query, "PatchOptions")?;
    let strictness = Strictness::of_query(&query, "PatchOptions")?;
    let change = PatchBody::read(request, &query).await?;
    let key = key(&target);
    store.commit_latency().await;
    loop {
        let current = store.read(target.resource, &key)?;
        let Decoded { value, unknown } = apply(&current, &change, strictness).await?;
        update::check_name(&target, &value)?;
        let next = update::next(&current, value, target.subresource)?;
        if let Some(patched) = store.commit(current, commit, next)? {
            return Ok(warn(answer(StatusCode::OK, &patched), &unknown));
        }
    }
}

impl PatchBody {
    pub(super) async fn read(request: Request, query: &Query) -> Result<Self, ApiError> {
        let read = match body::media_type(request.headers()) {
            "application/merge-patch+json" => read_merge,
            "application/strategic-merge-patch+json" => read_strategic,
            "application/json-patch+json" => read_operations,
            _ => return Err(ApiError::unsupported_patch()),
        };
        if query.flag("force").is_some() {
            let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
            return Err(ApiError::invalid_options("PatchOptions", vec![cause]));
        }
        read(&body::read(request).await?)
    }

    /// Applies the patch to an object of this kind.
    pub(super) async fn apply(&self, kind: &str, value: &mut Value) -> Result<(), ApiError> {
        match self {
            Self::Merge(patch) => json_patch::merge(value, patch),
            Self::Strategic(patch) => {
                strategic_merge::merge(kind, value, patch.clone()).map_err(ApiError::bad_request)?;
            }
            Self::Operations(patch) => operate(value, patch).await?,
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
        json_patch::patch_unsafe(value, std::slice::from_ref(operation)).map_err(|_| ApiError::unprocessable())?;
    }
    Ok(())
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

fn read_merge(body: &[u8]) -> Result<PatchBody, ApiError> {
    let patch: Value = serde_json::from_slice(body).map_err(|_| ApiError::bad_request("invalid JSON patch"))?;
    if patch.is_object() { Ok(PatchBody::Merge(patch)) } else { Err(ApiError::bad_request("invalid JSON patch")) }
}

fn read_strategic(body: &[u8]) -> Result<PatchBody, ApiError> {
    let error = |error: serde_json::Error| ApiError::bad_request(error.to_string());
    let patch: Option<Map<String, Value>> = serde_json::from_slice(body).map_err(error)?;
    Ok(PatchBody::Strategic(patch.unwrap_or_default())) // null is a patch that changes nothing
}

fn read_operations(body: &[u8]) -> Result<PatchBody, ApiError> {
    let refused = |error: String| ApiError::bad_request(format!("error decoding patch: {error}"));
    let mut patch: Value = serde_json::from_slice(body).map_err(|_| ApiError::bad_request("invalid JSON patch"))?;
    let operations = match &mut patch {
        Value::Null => return Ok(PatchBody::Operations(Patch::default())),
        Value::Array(operations) => operations,
        other => {
            let found = json_type(other);
            return Err(refused(format!(
                "json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"
            )));
        }
    };
    if operations.len() > MOST_OPERATIONS {
        let count = operations.len();
        let why = format!("The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {count}");
        return Err(ApiError::too_large_because(&why));
    }
    for operation in operations {
        let Value::Object(operation) = operation else {
            let found = json_type(operation);
            return Err(refused(format!("json: cannot unmarshal {found} into Go value of type handlers.jsonPatchOp")));
        };
        operation.entry("value").or_insert(Value::Null); // what is left out is null
    }
    // As upstream, a list with an operation that does not exist fails like one that does not apply.
    serde_json::from_value(patch).map(PatchBody::Operations).map_err(|_| ApiError::unprocessable())
}

/// The patched object, decoded as its type.
async fn apply(current: &Opened, change: &PatchBody, strictness: Strictness) -> Result<Decoded, ApiError> {
    let patched = async || {
        let mut value = current.value.clone();
        change.apply(current.resource.kind, &mut value).await.map(|()| value)
    };
    let decoded = current
        .resource
        .shape(patched().await?)
        .and_then(|decoded| strictness.check(decoded).map_err(|why| format!("strict decoding error: {why}")));
    match decoded {
        Ok(decoded) => Ok(decoded),
        Err(why) => Err(ApiError::undecodable_patch(&patched().await?.to_string(), &why)),
    }
}
