//! GET of one object, from storage or from the watch cache: the resourceVersion of the request decides.

use std::sync::Arc;

use http::StatusCode;

use super::list_options::resource_version;
use super::{Call, key};
use crate::http::answer::Answer;
use crate::http::status::ApiError;
use crate::store::ServedFrom;
use crate::store::Store;
use crate::store::object::{Key, Object};
use kube_machinery::kinds::Resource;

/// Answers a GET. Without a resourceVersion, the object comes from storage in its latest state; with `0`, from the
/// watch cache; with another one, from the watch cache in a state at least as new.
pub(crate) async fn get(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, .. } = call;
    let (resource, key) = (&target.resource, key(&target)?);
    if query.flag("export") == Some(true) {
        let why = "the export parameter, deprecated since v1.14, is no longer supported";
        return Err(ApiError::bad_request(why));
    }
    let version = query.get("resourceVersion").unwrap_or_default();
    let version = resource_version(version).map_err(|error| match resource.cached {
        true => ApiError::internal(error),
        false => ApiError::bad_request(format!("invalid resource version: {error}")), // storage's message
    })?;
    let from = match version {
        Some(_) if resource.cached => ServedFrom::WatchCache,
        _ => ServedFrom::Storage,
    };
    let object = read(&store, resource, &key, from, version).await;
    let answer = object.map(|object| Answer::object(StatusCode::OK, object));
    Ok(Answer::from(answer).served_from(from))
}

/// Reads the object, after waiting for the revision.
async fn read(
    store: &Store,
    resource: &Resource,
    key: &Key,
    from: ServedFrom,
    version: Option<u64>,
) -> Result<Arc<Object>, ApiError> {
    store.wait_for(version.unwrap_or_default(), resource, from).await?;
    let mut state = store.lock();
    let object = match (from, version) {
        (ServedFrom::Storage, _) => state.storage.get(resource, key),
        (ServedFrom::WatchCache, Some(0)) => state.cache(resource)?.get(key),
        (ServedFrom::WatchCache, _) => state.fresh_cache(resource)?.get(key),
    };
    object.ok_or_else(|| ApiError::not_found(resource, key.name()))
}
