//! Cluster roles.

use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Resource, Scope, Strategy};

/// The row of a ClusterRole.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: super::GROUP,
    plural: "clusterroles",
    singular: "clusterrole",
    kind: "ClusterRole",
    storage_hash: "bYE5ZWDrJ44=",
    scope: Scope::Cluster,
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    columns: columns::simple::DEFAULT,
    ..Resource::USUAL
};
