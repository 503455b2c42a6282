//! Converts the store's errors to API errors, so that handlers can return them with `?`. Upstream:
//! `k8s.io/apiserver/pkg/registry/generic/registry` with `InterpretGetError` and its siblings.

use super::status::ApiError;
use crate::store::StoreError;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { resource, name } => Self::not_found(&resource, &name),
            StoreError::AlreadyExists { resource, name, deleting } => Self::already_exists(&resource, &name, deleting),
            StoreError::NotAllocated { resource, name, causes } => Self::invalid(&resource, &name, causes),
            StoreError::NotServed => Self::unknown_resource(),
            StoreError::Unreadable { kind, key, why } => {
                Self::internal_error(&format!("the stored object {kind} {key:?} cannot be read: {why}"))
            }
            StoreError::TooLargeResourceVersion { requested, current } => Self::too_large_version(requested, current),
            // As upstream when etcd has no space: code 500 without a reason, and etcd's message. Clients try again.
            StoreError::Unwritable { why } => Self::internal(why.as_ref()),
            StoreError::TooManyWatches { limit } => Self::too_many_watches(limit),
        }
    }
}
