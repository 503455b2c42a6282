//! Decides what a user of a TLS listener may do in a cluster without RBAC. Authenticated users may do everything, as
//! with `--authorization-mode=AlwaysAllow`. Anonymous clients may do only what the cluster role
//! `system:public-info-viewer` allows: read the health and version endpoints. Upstream:
//! `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`.

use super::attributes::Attributes;
use kube_machinery::conventions::user::User;

/// The paths that anonymous clients may read.
const PUBLIC: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

pub(super) fn allows(user: &User, attributes: &Attributes) -> bool {
    match attributes {
        _ if !user.is_anonymous() => true,
        Attributes::Path { verb, path } => verb == "get" && PUBLIC.contains(&path.as_str()),
        Attributes::Resource(_) => false,
    }
}
