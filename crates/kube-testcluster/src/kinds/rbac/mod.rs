//! The kinds of the group `rbac.authorization.k8s.io`.

pub(super) mod cluster_role;
pub(super) mod cluster_role_binding;
pub(super) mod role;
pub(super) mod role_binding;
