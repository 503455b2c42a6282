//! The preconditions in the body of an update: the uid and the resourceVersion.

use crate::http::query::problem;
use crate::http::status::ApiError;
use crate::store::object::{Key, Object, Opened};
use kube_machinery::kinds::{Resource, UnconditionalUpdate};
use kube_machinery::value::Value;

/// Checks the uid in the body of a PUT as a precondition. In a patched object another uid is a change, which validation
/// refuses.
pub(super) fn check_uid(current: &Opened, new: &Value) -> Result<(), ApiError> {
    let uid = current.summary.uid();
    match new["metadata"]["uid"].as_str() {
        Some(requested) if !requested.is_empty() && requested != uid => {
            Err(failed_precondition(current, "UID", requested, uid))
        }
        _ => Ok(()),
    }
}

/// Checks that the resourceVersion in the new state, if it has one, is the current one. Some kinds require one.
pub(super) fn check(current: &Opened, new: &Value) -> Result<(), ApiError> {
    let resource = &current.resource;
    let name = current.key.name();
    match given_version(new)? {
        None if resource.strategy.unconditional_update == UnconditionalUpdate::Refused => {
            Err(ApiError::unconditional_update(resource, name))
        }
        None => Ok(()),
        Some(version) if version == current.revision => Ok(()),
        Some(_) => Err(ApiError::stale(resource, name)),
    }
}

pub(super) fn failed_precondition(current: &Object, what: &str, requested: &str, found: &str) -> ApiError {
    failed_precondition_of(&current.resource, &current.key, what, requested, found)
}

fn failed_precondition_of(resource: &Resource, key: &Key, what: &str, requested: &str, found: &str) -> ApiError {
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {}/{key}, ResourceVersion: 0, AdditionalErrorMsg: \
         Precondition failed: {what} in precondition: {requested}, {what} in object meta: {found}",
        resource.storage_path()
    );
    ApiError::conflict(resource, resource.plural(), key.name(), why)
}

/// Makes upstream's checks before an update creates the object: the body must have no uid, and a valid resourceVersion.
pub(super) fn check_creation(resource: &Resource, key: &Key, new: &Value) -> Result<(), ApiError> {
    let field = |name: &str| new["metadata"][name].as_str().unwrap_or_default();
    if !field("uid").is_empty() {
        return Err(failed_precondition_of(resource, key, "UID", field("uid"), ""));
    }
    check_version(new)
}

/// Checks that the resourceVersion of a new object can be parsed. Its value has no meaning for a new object.
pub(super) fn check_version(new: &Value) -> Result<(), ApiError> {
    given_version(new).map(drop)
}

/// Returns the resourceVersion in a new state; `None` if the update is unconditional.
fn given_version(new: &Value) -> Result<Option<u64>, ApiError> {
    match new["metadata"]["resourceVersion"].as_str().unwrap_or_default() {
        "" => Ok(None),
        text => text
            .parse()
            .map(|version| Some(version).filter(|version| *version != 0))
            .map_err(|error| ApiError::internal(format!("strconv.ParseUint: parsing {text:?}: {}", problem(&error)))),
    }
}
