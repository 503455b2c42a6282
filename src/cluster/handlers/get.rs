//! GET of one object.

use axum::response::Response;
use http::StatusCode;

use super::{Call, answer, key};
use crate::cluster::options::resource_version;
use crate::cluster::status::ApiError;

/// No resourceVersion: the latest state, from storage. `0`: what the watch cache has. Any other: not older than that.
pub(crate) async fn get(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, .. } = call;
    let (resource, key) = (target.resource, key(&target));
    let version = query.get("resourceVersion").unwrap_or_default();
    let object = match resource_version(version).map_err(ApiError::internal)? {
        None => store.get(resource, &key),
        Some(0) => store.lock().cache(resource).get(&key),
        Some(revision) => {
            store.wait_for(revision).await?;
            store.lock().fresh_cache(resource).get(&key)
        }
    };
    let object = object.ok_or_else(|| ApiError::not_found(resource, key.name()))?;
    Ok(answer(StatusCode::OK, &object))
}
