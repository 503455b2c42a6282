//! The verbs of requests, as Kubernetes' authorization names them. A fault may be limited to one; `handler.rs` finds
//! the verb of each request here.

use http::Method;

/// A verb of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// GET of one object.
    Get,
    /// GET of a collection.
    List,
    /// GET of a collection with `watch=true`.
    Watch,
    /// POST.
    Create,
    /// PUT.
    Update,
    /// PATCH.
    Patch,
    /// DELETE of one object.
    Delete,
    /// DELETE of a collection.
    DeleteCollection,
}

/// The part of the API that a request is about. With the HTTP method, it decides about the verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetKind {
    Object,
    Collection,
    /// The changes of a collection.
    Events,
}

impl Verb {
    pub(super) const ALL: [Self; 8] = [
        Self::Get,
        Self::List,
        Self::Watch,
        Self::Create,
        Self::Update,
        Self::Patch,
        Self::Delete,
        Self::DeleteCollection,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
        }
    }

    /// Returns the verb of a request, or `None` for a method that the API does not have.
    pub(crate) fn of(method: &Method, about: TargetKind) -> Option<Self> {
        Some(match (method, about) {
            (&Method::GET, TargetKind::Object) => Self::Get,
            (&Method::GET, TargetKind::Collection) => Self::List,
            (&Method::GET, TargetKind::Events) => Self::Watch,
            (&Method::POST, _) => Self::Create,
            (&Method::PUT, _) => Self::Update,
            (&Method::PATCH, _) => Self::Patch,
            (&Method::DELETE, TargetKind::Object) => Self::Delete,
            (&Method::DELETE, _) => Self::DeleteCollection,
            _ => return None,
        })
    }
}
