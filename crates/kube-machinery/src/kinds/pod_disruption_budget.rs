//! The PodDisruptionBudget kind, which limits how many pods of a set may be evicted at the same time. Upstream:
//! `pkg/apis/policy`, `pkg/registry/policy/poddisruptionbudget`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::apps::int_or_percent;
use crate::kinds::columns;
use crate::kinds::conditions;
use crate::kinds::core::pod;
use crate::kinds::fields::{not_negative, one_of_if_set};
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Generation, ResourceRow, Strategy, Subresource, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
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
    validate,
    validate_status,
    columns: columns::policy::BUDGETS,
    ..ResourceRow::USUAL
};

/// The Go struct of the spec, as upstream's causes print it.
const SPEC: GoStruct = GoStruct(&[
    ("MinAvailable", "minAvailable", Field::Plain),
    ("Selector", "selector", Field::Plain),
    ("MaxUnavailable", "maxUnavailable", Field::Plain),
    ("UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", Field::Plain),
]);

/// Upstream: `ValidatePodDisruptionBudgetSpec`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = Causes::new();
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        let why = "minAvailable and maxUnavailable cannot be both set";
        causes.push(Cause::invalid_as("spec", &SPEC.print(spec), why));
    }
    for field in ["minAvailable", "maxUnavailable"].into_iter().filter(|field| !spec[*field].is_null()) {
        let at = format_args!("spec.{field}");
        causes.extend(int_or_percent::positive(&spec[field], &at));
        causes.extend(int_or_percent::at_most_all(&spec[field], &at));
    }
    causes.extend(pod::label_selector(&spec["selector"], &"spec.selector"));
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    causes.extend(one_of_if_set(spec, "unhealthyPodEvictionPolicy", &policies, &"spec"));
    causes
}

/// Upstream: `ValidatePodDisruptionBudgetStatusUpdate`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    const COUNTS: [&str; 4] = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
    let status = &new["status"];
    let mut causes = conditions::conditions(status, &"status");
    causes.extend(COUNTS.into_iter().filter_map(|field| not_negative(status, field, &"status")));
    causes
}
