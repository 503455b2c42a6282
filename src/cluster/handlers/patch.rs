//! PATCH of an object or of its status.

use axum::response::Response;
use http::StatusCode;
use json_patch::Patch;
use serde_json::Value;

use super::{Call, answer, body, key, update};
use crate::cluster::cause::Cause;
use crate::cluster::object::Object;
use crate::cluster::status::ApiError;

/// What a client wants changed.
enum Change {
    /// RFC 7396: null removes, objects merge, everything else replaces.
    Merge(Value),
    /// RFC 6902.
    Operations(Patch),
}

pub(crate) async fn patch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let commit = body::query_commit(&query, "PatchOptions")?;
    let format = body::media_type(request.headers()).to_owned();
    if query.flag("force").is_some() {
        let cause = Cause::forbidden("force", "may not be specified for non-apply patch");
        return Err(ApiError::invalid_options("PatchOptions", vec![cause]));
    }
    let read = match format.as_str() {
        "application/merge-patch+json" => read_merge,
        "application/json-patch+json" => read_operations,
        _ => return Err(ApiError::unsupported_patch()),
    };
    let change = read(&body::read(request).await?)?;
    let patched = store
        .update(target.resource, &key(&target), commit, |current| {
            let value = apply(current, change)?;
            update::check_name(&target, &value)?;
            update::next(current, value, target.subresource)
        })
        .await?;
    Ok(answer(StatusCode::OK, &patched))
}

fn read_merge(body: &[u8]) -> Result<Change, ApiError> {
    let patch: Value = serde_json::from_slice(body).map_err(|_| ApiError::bad_request("invalid JSON patch"))?;
    if patch.is_object() { Ok(Change::Merge(patch)) } else { Err(ApiError::bad_request("invalid JSON patch")) }
}

fn read_operations(body: &[u8]) -> Result<Change, ApiError> {
    let error = |error| ApiError::bad_request(format!("error decoding patch: {error}"));
    serde_json::from_slice(body).map(Change::Operations).map_err(error)
}

/// The patched object in the shape of its type.
fn apply(current: &Object, change: Change) -> Result<Value, ApiError> {
    let mut value = current.value.clone();
    match change {
        Change::Merge(patch) => json_patch::merge(&mut value, &patch),
        Change::Operations(patch) => {
            json_patch::patch(&mut value, &patch).map_err(|_| ApiError::unprocessable())?;
        }
    }
    let text = value.to_string();
    body::shaped(value, current.resource).map_err(|error| ApiError::misfit(&text, &error.to_string()))
}
