//! The RoleBinding kind, which gives users, groups and service accounts the permissions of a Role or ClusterRole in the
//! binding's namespace. Upstream: `pkg/apis/rbac`.

use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{ResourceRow, Strategy};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "rolebindings",
    singular: "rolebinding",
    kind: "RoleBinding",
    storage_hash: "eGsCzGH6b1g=",
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    defaults: super::set_defaults_of_binding,
    validate,
    columns: columns::rbac::BINDINGS,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Validates a binding, which can refer to a role of either kind. Upstream: `ValidateRoleBinding`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    super::subjects::binding(new, old, &["Role", "ClusterRole"])
}
