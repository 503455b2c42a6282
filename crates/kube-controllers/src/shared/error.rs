//! The errors of the workload controllers: those that end a controller, and those after which only one object is synced
//! again.

use kube_informers::cache::{ApiError, Error, InformerFailed};
use kube_informers::workqueue::ReconcilePanicked;
use kube_selectors::BadSelector;

/// The reason why a controller ended before it was stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// An informer failed, so the cache is no longer up to date.
    #[error(transparent)]
    Informer(#[from] InformerFailed),
    /// The work on an object panicked.
    #[error(transparent)]
    Sync(#[from] ReconcilePanicked),
}

/// The reason why a controller could not finish a sync. The key is queued again with back-off.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server refused a request, or did not answer it.
    #[error("cannot {what}")]
    Refused {
        /// The request, as in "create a pod of default/web".
        what: String,
        /// The API server's response.
        #[source]
        source: ApiError,
    },
    /// The object's selector cannot be read.
    #[error("the selector cannot be read")]
    Selector(#[from] BadSelector),
    /// The object has no pod template.
    #[error("there is no template to create a pod from")]
    NoTemplate,
    /// The cache still has the object, but the API server has deleted it or is deleting it.
    #[error("{0} is deleted or being deleted, so it adopts nothing")]
    Gone(String),
    /// Another object already has this name.
    #[error("the name {0} is taken")]
    Taken(String),
    /// A pod of a service is on a node that does not exist, so the pod has no endpoint.
    #[error("the node of pod {0} does not exist, so the pod has no endpoint")]
    NoNode(String),
    /// The controller of a pod does not exist, so its scale is not known.
    #[error("found no controllers for pod {0:?}")]
    NoController(String),
    /// The objects of this resource have no scale.
    #[error("{0} does not implement the scale subresource")]
    NoScale(String),
    /// The server does not serve the kind of a pod's controller.
    #[error("no matches for kind {kind:?} in version {version:?}")]
    NoKind {
        /// The kind in the owner reference.
        kind: String,
        /// Its group and version.
        version: String,
    },
    /// The informer of a resource has not listed its objects in time.
    #[error("the {0} are not watched yet")]
    NotWatched(String),
    /// A request for a certificate cannot be approved or signed.
    #[error("{0}")]
    Certificate(String),
    /// The claim of an ephemeral volume was not made for its pod.
    #[error("{0}")]
    NotOwned(String),
    /// The claim of an ephemeral volume could not be created.
    #[error("create PVC {claim}: {source}")]
    NotCreated {
        /// The name of the claim.
        claim: String,
        /// The API server's response.
        source: ApiError,
    },
    /// A lookup in the cache failed.
    #[error(transparent)]
    Cache(#[from] Error),
}

impl SyncError {
    /// Makes a [`SyncError::Refused`], for `map_err`.
    pub(crate) fn refused<E: Into<ApiError>>(what: impl Into<String>) -> impl FnOnce(E) -> Self {
        let what = what.into();
        move |error| Self::Refused { what, source: error.into() }
    }

    /// Returns true if an object has changed since the cached state that the write was made from.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, Self::Refused { source, .. } if source.status().is_some_and(|status| status.code == 409))
    }

    /// Returns true if the server does not have what was asked for.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { source, .. } if source.status().is_some_and(|status| status.code == 404))
    }

    /// Returns the text of the error for users: for a refused request, the server's own words.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Refused { source, .. } => source.to_string(),
            other => other.to_string(),
        }
    }

    /// Returns true if the API server [refused an object in a terminating namespace](is_namespace_terminating).
    pub(crate) fn is_namespace_terminating(&self) -> bool {
        matches!(self, Self::Refused { source, .. } if is_namespace_terminating(source))
    }
}

/// Returns true if an object was refused because its namespace is being deleted, so later objects will be refused, too.
/// Upstream: `NamespaceTerminatingCause`.
pub(crate) fn is_namespace_terminating(error: &ApiError) -> bool {
    let details = error.status().and_then(|status| status.details.as_ref());
    details.iter().flat_map(|details| &details.causes).any(|cause| cause.reason == "NamespaceTerminating")
}
