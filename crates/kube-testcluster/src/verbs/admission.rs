//! What a new object needs of the rest of the cluster. Upstream: the admission plugins.

use crate::http::status::ApiError;
use crate::kinds::{NAMESPACES, Resource};
use crate::store::object::Key;
use crate::store::storage::Storage;

/// Refuses a new object if its namespace does not exist or is being deleted. Upstream: `NamespaceLifecycle`.
pub(super) fn namespace_lifecycle(storage: &Storage, resource: &'static Resource, key: &Key) -> Result<(), ApiError> {
    let Some(namespace) = key.namespace() else { return Ok(()) };
    match storage.get(NAMESPACES, &Key::new(None, namespace)) {
        Some(home) if home.summary.is_deleting => Err(ApiError::terminating(resource, key.name(), namespace)),
        Some(_) => Ok(()),
        None => Err(ApiError::not_found(NAMESPACES, namespace)),
    }
}
