//! Cluster roles.

use crate::kinds::resource::{Resource, Scope, Strategy};

/// The row of a ClusterRole.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "rbac.authorization.k8s.io",
    plural: "clusterroles",
    singular: "clusterrole",
    kind: "ClusterRole",
    storage_hash: "bYE5ZWDrJ44=",
    scope: Scope::Cluster,
    strategy: Strategy::CREATED_ON_UPDATE,
    ..Resource::USUAL
};
