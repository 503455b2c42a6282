//! The ClusterRoleBinding kind: its row in the table of kinds, and its validation. Upstream: `pkg/apis/rbac`.

use crate::conventions::cause::Cause;
use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Resource, Scope, Strategy};
use crate::value::Value;

/// The ClusterRoleBinding row in the table of kinds.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: super::GROUP,
    plural: "clusterrolebindings",
    singular: "clusterrolebinding",
    kind: "ClusterRoleBinding",
    storage_hash: "48tpQ8gZHFc=",
    scope: Scope::Cluster,
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    defaults: super::set_defaults_of_binding,
    validate,
    columns: columns::rbac::CLUSTER_BINDINGS,
    ..Resource::USUAL
};

fn validate(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    super::subjects::binding(new, old, &["ClusterRole"])
}
