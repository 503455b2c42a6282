//! The errors of the store. They know nothing of HTTP: `http/store_error.rs` turns them into a `Status` for the client.
//! Upstream: `k8s.io/apiserver/pkg/storage/errors.go`.

use std::sync::Arc;

use super::object::Key;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::kinds::Resource;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreError {
    NotFound {
        resource: Resource,
        name: String,
    },
    AlreadyExists {
        resource: Resource,
        name: String,
        /// True if the existing object is being deleted.
        deleting: bool,
    },
    /// An address, port or other unique value that the object needs could not be allocated.
    NotAllocated {
        resource: Resource,
        name: String,
        causes: Causes,
    },
    /// The kind has no definition any more.
    NotServed,
    /// The stored bytes cannot be decoded.
    Unreadable {
        kind: String,
        key: String,
        why: String,
    },
    TooLargeResourceVersion {
        requested: u64,
        current: u64,
    },
    /// The write-ahead log cannot be written, so nothing was changed.
    Unwritable {
        why: Arc<str>,
    },
    TooManyWatches {
        limit: usize,
    },
}

impl StoreError {
    pub(crate) fn not_found(resource: &Resource, key: &Key) -> Self {
        Self::NotFound { resource: resource.clone(), name: key.name().to_owned() }
    }
}
