//! Roles.

use crate::kinds::resource::{Resource, Strategy};

/// The row of a Role.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "rbac.authorization.k8s.io",
    plural: "roles",
    singular: "role",
    kind: "Role",
    storage_hash: "7FuwZcIIItM=",
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
