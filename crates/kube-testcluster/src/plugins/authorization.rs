//! What authorization is asked, and what it answers. Upstream: `k8s.io/apiserver/pkg/authorization/authorizer`.

use std::fmt;

use kube_machinery::conventions::user::User;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attributes {
    /// Something that is no object: a method, in small letters, and a path.
    Path { verb: String, path: String },
    /// An object, or a collection of them.
    Resource(ResourceAttributes),
}

/// An object, a part of it, or a collection. What a request does not name is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceAttributes {
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) namespace: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) name: String,
}

/// A decision, and why; upstream gives no reason where nothing speaks for it or against it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) allowed: bool,
    pub(crate) reason: String,
}

/// Who decides.
pub(crate) trait Authorize: fmt::Debug + Send + Sync {
    fn authorize(&self, user: &User, asked: &Attributes) -> Decision;
}
