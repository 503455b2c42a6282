//! The four operations that admission knows: webhooks, policies and plugins choose the requests that they decide about
//! by operation. Several HTTP verbs share one operation (PUT and PATCH are both `Update`). Upstream: `Operation` in
//! `k8s.io/apiserver/pkg/admission`.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// A new object, or a POST to a subresource such as `binding`.
    Create,
    /// A PUT or a PATCH of an object that exists.
    Update,
    /// A deletion, of one object or of one of a collection.
    Delete,
    /// A connection to a subresource such as `exec`.
    Connect,
}

impl Operation {
    /// Returns the name in upper case, as an `AdmissionReview` and the rules of a webhook have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}
