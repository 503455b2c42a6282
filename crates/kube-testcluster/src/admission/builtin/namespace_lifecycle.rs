//! The plugin `NamespaceLifecycle`: refuses new objects in a namespace that does not exist or is being deleted, and
//! refuses to delete the namespaces that every cluster must have.

use crate::http::status::ApiError;
use crate::store::object::Key;
use crate::store::storage::Storage;
use kube_machinery::kinds::{NAMESPACES, Resource};

/// The namespaces that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// Refuses a new object if its namespace does not exist or is being deleted.
pub(crate) fn namespace_lifecycle(storage: &Storage, resource: &Resource, key: &Key) -> Result<(), ApiError> {
    let Some(namespace) = key.namespace() else { return Ok(()) };
    match storage.get(NAMESPACES, &Key::new(None, namespace)) {
        Some(found) if found.summary.is_deleting => Err(ApiError::terminating(resource, key.name(), namespace)),
        Some(_) => Ok(()),
        None => Err(ApiError::not_found(NAMESPACES, namespace)),
    }
}

/// Refuses to delete a namespace that every cluster must have.
pub(crate) fn immortal_namespaces(resource: &Resource, key: &Key) -> Result<(), ApiError> {
    if resource == NAMESPACES && IMMORTAL.contains(&key.name()) {
        return Err(ApiError::forbidden(resource, key.name(), "this namespace may not be deleted"));
    }
    Ok(())
}
