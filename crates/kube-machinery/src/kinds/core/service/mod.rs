//! The Service kind, one address for a set of pods: its row in the table of kinds (`kinds::served`). The submodules set
//! its defaults, validate it, and allocate its cluster IP and node ports.

mod addresses;
mod allocation;
mod defaults;
mod exposure;
mod families;
mod free_ranges;
mod load_balancer;
mod validation;
mod warnings;

use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::networking::ingress;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Strategy, Subresource};

pub use self::allocation::SERVICE_RANGE;
pub(in crate::kinds) use self::allocation::allocator;
pub(in crate::kinds) use self::defaults::service as set_defaults;
pub(in crate::kinds) use self::load_balancer::status as validate_status;
pub(in crate::kinds) use self::validation::service as validate;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "services",
    singular: "service",
    kind: "Service",
    storage_hash: "0/CO1lhkEBI=",
    short_names: &["svc"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    delete_response: DeleteResponse::Object,
    strategy: Strategy::CREATED_ON_UPDATE,
    fields: &[("spec.clusterIP", "spec.clusterIP", ""), ("spec.type", "spec.type", "")],
    name_rule: NameRule::Label,
    defaults: set_defaults,
    validate,
    validate_status,
    allocator: Some(allocator),
    columns: columns::service::COLUMNS,
    warnings: warnings::warnings,
    status_warnings: ingress::status_warnings,
    ..ResourceRow::USUAL
};
