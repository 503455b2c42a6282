//! Validates topology spread constraints, which spread pods over nodes or zones, and the gates for readiness and
//! scheduling. Upstream: `validateTopologySpreadConstraints`, `validateReadinessGates` and `validateSchedulingGates` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::{HashMap, HashSet};

use super::affinity::validate_label_keys;
use super::selectors::{label_name, label_selector};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const UNSATISFIABLE: [&str; 2] = ["DoNotSchedule", "ScheduleAnyway"];
const INCLUSION: [&str; 2] = ["Honor", "Ignore"];

/// Validates the spread constraints. No two may have the same topology key and action. As upstream, the cause is about
/// the earlier of the two, so the last index of each pair is looked up.
pub(super) fn spread(constraints: &[Value], at: At<'_>) -> Causes {
    fn pair(constraint: &Value) -> (&str, &str) {
        (text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable"))
    }
    let mut causes = Causes::new();
    let last_index: HashMap<(&str, &str), usize> =
        constraints.iter().enumerate().map(|(i, constraint)| (pair(constraint), i)).collect();
    for (i, constraint) in constraints.iter().enumerate() {
        let path = format_args!("{at}[{i}]");
        causes.extend(validate_constraint(constraint, &path));
        let (topology, action) = pair(constraint);
        if last_index[&(topology, action)] > i {
            let shown = format!("{{{topology}, {action}}}");
            causes.push(Cause::duplicate(format_args!("{path}.{{topologyKey, whenUnsatisfiable}}"), &shown));
        }
    }
    causes
}

fn validate_constraint(constraint: &Value, at: At<'_>) -> Causes {
    let (topology, action) = (text(constraint, "topologyKey"), text(constraint, "whenUnsatisfiable"));
    let mut causes = Causes::new();
    if constraint["maxSkew"].as_i64().unwrap_or_default() <= 0 {
        causes.push(Cause::invalid_json(
            format_args!("{at}.maxSkew"),
            &constraint["maxSkew"],
            "must be greater than zero",
        ));
    }
    if topology.is_empty() {
        causes.push(Cause::required(format_args!("{at}.topologyKey"), "can not be empty"));
    }
    if !UNSATISFIABLE.contains(&action) {
        causes.push(Cause::unsupported(format_args!("{at}.whenUnsatisfiable"), &format!("{action:?}"), &UNSATISFIABLE));
    }
    let domains = &constraint["minDomains"];
    if let Some(number) = domains.as_i64() {
        if number <= 0 {
            causes.push(Cause::invalid_json(format_args!("{at}.minDomains"), domains, "must be greater than zero"));
        }
        if action != "DoNotSchedule" {
            let why = format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
            causes.push(Cause::invalid_json(format_args!("{at}.minDomains"), domains, &why));
        }
    }
    for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
        if let Some(policy) = constraint[field].as_str().filter(|policy| !INCLUSION.contains(policy)) {
            causes.push(Cause::unsupported(format_args!("{at}.{field}"), &format!("{policy:?}"), &INCLUSION));
        }
    }
    causes.extend(validate_label_keys(constraint, "matchLabelKeys", at));
    causes.extend(label_selector(&constraint["labelSelector"], &format_args!("{at}.labelSelector")));
    causes
}

/// Validates the readiness gates, conditions that a pod must have to be ready, and the scheduling gates, which keep a
/// pod from being scheduled.
pub(super) fn gates(spec: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for (i, gate) in items(spec, "readinessGates").iter().enumerate() {
        causes.extend(label_name(text(gate, "conditionType"), &format_args!("{at}.readinessGates[{i}].conditionType")));
    }
    let mut names = HashSet::new();
    for (i, gate) in items(spec, "schedulingGates").iter().enumerate() {
        let (name, at) = (text(gate, "name"), format_args!("{at}.schedulingGates[{i}]"));
        causes.extend(label_name(name, &at));
        if !names.insert(name) {
            causes.push(Cause::duplicate(at, name));
        }
    }
    causes
}
