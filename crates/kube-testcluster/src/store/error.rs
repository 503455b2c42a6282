//! The errors of the store. Upstream: `k8s.io/apiserver/pkg/storage/errors.go`.

use super::object::Key;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::kinds::Resource;

/// Why the store refuses a read or a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreError {
    NotFound {
        resource: &'static Resource,
        name: String,
    },
    AlreadyExists {
        resource: &'static Resource,
        name: String,
        /// Whether the object that is there is being deleted.
        deleting: bool,
    },
    /// What the object needs could not be allocated.
    NotAllocated {
        resource: &'static Resource,
        name: String,
        causes: Vec<Cause>,
    },
    /// The stored bytes cannot be decoded.
    Unreadable {
        kind: String,
        key: String,
        why: String,
    },
    /// A revision that the store did not reach in time.
    TooLargeResourceVersion {
        asked: u64,
        current: u64,
    },
    /// All the watches that are allowed are open.
    TooManyWatches {
        limit: usize,
    },
}

impl StoreError {
    pub(crate) fn not_found(resource: &'static Resource, key: &Key) -> Self {
        Self::NotFound { resource, name: key.name().to_owned() }
    }
}
