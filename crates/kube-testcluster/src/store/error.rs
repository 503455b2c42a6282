//! The errors of the store. They know nothing of HTTP: `http/store_error.rs` turns them into a `Status` for the client.
//! Upstream: `k8s.io/apiserver/pkg/storage/errors.go`.

use super::object::Key;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::Resource;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreError {
    NotFound {
        resource: &'static Resource,
        name: String,
    },
    AlreadyExists {
        resource: &'static Resource,
        name: String,
        /// True if the existing object is being deleted.
        deleting: bool,
    },
    /// An address, port or other unique value that the object needs could not be allocated.
    NotAllocated {
        resource: &'static Resource,
        name: String,
        causes: Causes,
    },
    Unreadable {
        kind: String,
        key: String,
        why: String,
    },
    TooLargeResourceVersion {
        requested: u64,
        current: u64,
    },
    TooManyWatches {
        limit: usize,
    },
}

impl StoreError {
    pub(crate) fn not_found(resource: &'static Resource, key: &Key) -> Self {
        Self::NotFound { resource, name: key.name().to_owned() }
    }
}
