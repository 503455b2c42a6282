//! Bindings of cluster roles.

use crate::kinds::resource::{Resource, Scope, Strategy};

/// The row of a ClusterRoleBinding.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "rbac.authorization.k8s.io",
    plural: "clusterrolebindings",
    singular: "clusterrolebinding",
    kind: "ClusterRoleBinding",
    storage_hash: "48tpQ8gZHFc=",
    scope: Scope::Cluster,
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
