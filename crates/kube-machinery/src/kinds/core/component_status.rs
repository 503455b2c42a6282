//! The ComponentStatus kind, the health of a part of the control plane such as the scheduler. Its objects are computed
//! for each request. The kind is deprecated. Upstream: `pkg/registry/core/componentstatus`, `printComponentStatus` in
//! `pkg/printers/internalversion`.

use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{ResourceRow, Scope, Serving};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "componentstatuses",
    singular: "componentstatus",
    kind: "ComponentStatus",
    serving: Serving::Computed,
    scope: Scope::Cluster,
    short_names: &["cs"],
    cached: false,
    name_rule: NameRule::Unchecked,
    deprecation: Some("v1 ComponentStatus is deprecated in v1.19+"),
    columns: columns::components::COLUMNS,
    ..ResourceRow::USUAL
};
