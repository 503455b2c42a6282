//! Bindings of roles.

use crate::kinds::resource::{Resource, Strategy};

/// The row of a RoleBinding.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "rbac.authorization.k8s.io",
    plural: "rolebindings",
    singular: "rolebinding",
    kind: "RoleBinding",
    storage_hash: "eGsCzGH6b1g=",
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
