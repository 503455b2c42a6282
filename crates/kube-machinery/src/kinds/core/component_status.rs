//! The row of the ComponentStatus kind in the table of kinds. A ComponentStatus, the health of a part of the control
//! plane, is not stored but computed for each request. Upstream: `pkg/registry/core/componentstatus`,
//! `printComponentStatus` in `pkg/printers/internalversion`.

use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Resource, Scope, Serving};

/// The ComponentStatus row in the table of kinds.
pub(in crate::kinds) const ROW: Resource = Resource {
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
    ..Resource::USUAL
};
