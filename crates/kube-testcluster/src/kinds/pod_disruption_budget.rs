//! Budgets of disruptions. Upstream: `pkg/apis/policy`, `pkg/registry/policy/poddisruptionbudget`.

use crate::kinds::columns;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Generation, Resource, Strategy, Subresource, UnconditionalUpdate};

/// The row of a PodDisruptionBudget.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "policy",
    plural: "poddisruptionbudgets",
    singular: "poddisruptionbudget",
    kind: "PodDisruptionBudget",
    storage_hash: "EVWiDmWqyJw=",
    short_names: &["pdb"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    name_rule: NameRule::Unchecked,
    columns: columns::policy::BUDGETS,
    ..Resource::USUAL
};
