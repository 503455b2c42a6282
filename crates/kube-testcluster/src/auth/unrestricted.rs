//! What a user of a listener with authentication may do where no roles are asked. Who is known may do everything, as with
//! `--authorization-mode=AlwaysAllow`; nobody in particular may do what the cluster role `system:public-info-viewer` allows.
//! Upstream: `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.

use super::attributes::Attributes;
use kube_machinery::conventions::user::User;

const PUBLIC: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

/// Whether a user may do something.
pub(super) fn allows(user: &User, asked: &Attributes) -> bool {
    match asked {
        _ if !user.is_anonymous() => true,
        Attributes::Path { verb, path } => verb == "get" && PUBLIC.contains(&path.as_str()),
        Attributes::Resource(_) => false,
    }
}
