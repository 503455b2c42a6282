//! The internal interface of authorizers: [`Authorize`] decides if a [`User`] may do what [`Attributes`] describe, and
//! answers with a [`Decision`].
//!
//! It is a trait so that the store and admission can ask for permissions (as the CEL variable `authorizer` does)
//! without depending on `auth/`, which has the only implementation. Upstream:
//! `k8s.io/apiserver/pkg/authorization/authorizer`.

use std::fmt;

use kube_machinery::conventions::user::User;

/// The access that a request asks for, about which an authorizer decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attributes {
    /// A path that is no resource, with the HTTP method in lower case.
    Path { verb: String, path: String },
    /// An object, or a collection of them.
    Resource(ResourceAttributes),
}

/// An object, a subresource, or a collection. Parts that a request does not name are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResourceAttributes {
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) namespace: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) name: String,
}

/// A decision and its reason. As upstream, the reason is empty if no rule allows or denies the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) allowed: bool,
    pub(crate) reason: String,
}

/// An authorizer: decides if a user may do something. It is asked for each request before the request runs, and by
/// checks that need a further permission, such as the right to `bind` a role.
pub(crate) trait Authorize: fmt::Debug + Send + Sync {
    fn authorize(&self, user: &User, attributes: &Attributes) -> Decision;
}
