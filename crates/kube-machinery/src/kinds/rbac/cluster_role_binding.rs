//! The ClusterRoleBinding kind, which gives users, groups and service accounts the permissions of a ClusterRole in the
//! whole cluster. `subjects` has the rules that RoleBindings share. Upstream: `pkg/apis/rbac`.

use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{ResourceRow, Scope, Strategy};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
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
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Validates a binding, which can only refer to a ClusterRole. Upstream: `ValidateClusterRoleBinding`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    super::subjects::binding(new, old, &["ClusterRole"])
}
