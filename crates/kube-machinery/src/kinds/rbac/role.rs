//! The Role kind, a set of permissions in its namespace. Upstream: `pkg/apis/rbac`.

use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Resource, Strategy};
use crate::value::Value;

pub(in crate::kinds) const ROW: Resource = Resource {
    group: super::GROUP,
    plural: "roles",
    singular: "role",
    kind: "Role",
    storage_hash: "7FuwZcIIItM=",
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    validate,
    columns: columns::simple::DEFAULT,
    ..Resource::USUAL
};

/// Upstream: `ValidateRole`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    super::rules::rules(new, super::rules::Reach::Namespace)
}
