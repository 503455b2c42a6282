//! Authentication (which user sends this request?), impersonation, and authorization (may the user do this?). Upstream:
//! `k8s.io/apiserver/pkg/authentication` and `authorization`.
//!
//! In-process requests, and requests on a plain loopback listener, are not authenticated and may do everything. Such a
//! request acts as another user if it impersonates one, if its in-process client was made for a [`User`], or, with
//! RBAC, if it has the token of a service account. On a listener of [`SecureServing`] every request has a user.

mod access;
mod attributes;
#[cfg(feature = "tls")]
mod authentication;
mod authorization;
mod bearer_token;
pub(crate) mod certificates;
mod impersonation;
pub(crate) mod legacy_token;
pub(crate) mod policy_parameters;
pub(crate) mod rbac;
mod refusal;
pub(crate) mod resource_claims;
#[cfg(feature = "tls")]
mod secure_serving;
pub(crate) mod service_account;
#[cfg(feature = "tls")]
mod token_file;
#[cfg(feature = "tls")]
mod unrestricted;

use std::sync::{Arc, LazyLock};

use http::Extensions;

use kube_machinery::conventions::user::User;

pub(crate) use self::access::{Caller, with_authorization};
pub(crate) use self::attributes::{Attributes, ResourceAttributes};
#[cfg(feature = "tls")]
pub(crate) use self::authentication::with_authentication;
pub(crate) use self::authorization::{Decision, Rules};
#[cfg(feature = "tls")]
pub use self::secure_serving::SecureServing;
#[cfg(feature = "tls")]
pub use self::token_file::BadTokenFile;

/// Returns the user that `access.rs` or `authentication.rs` has attached to a request, or else the anonymous user.
pub(crate) fn user_of(extensions: &Extensions) -> Arc<User> {
    static ANONYMOUS: LazyLock<Arc<User>> = LazyLock::new(|| Arc::new(User::anonymous()));
    extensions.get::<Arc<User>>().unwrap_or(&ANONYMOUS).clone()
}
