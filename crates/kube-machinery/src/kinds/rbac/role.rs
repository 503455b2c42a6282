//! The Role kind, a set of permissions in its namespace. Upstream: `pkg/apis/rbac`.

use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::registry::TableConvertor;
use crate::kinds::resource::{ResourceRow, Strategy};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "roles",
    singular: "role",
    kind: "Role",
    storage_hash: "7FuwZcIIItM=",
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    validate,
    columns: columns::simple::DEFAULT,
    table_convertor: TableConvertor::Default,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateRole`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    super::rules::rules(new, super::rules::Reach::Namespace)
}
