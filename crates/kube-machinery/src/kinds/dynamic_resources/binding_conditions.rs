//! The conditions that must hold before a pod with a device is bound to its node. Upstream:
//! `validateDeviceBindingParameters` in `pkg/apis/resource/validation`.

use std::collections::BTreeSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items};
use crate::kinds::names;
use crate::value::Value;

const CONDITIONS: &str = "bindingConditions";
const FAILURES: &str = "bindingFailureConditions";
const MOST: usize = 4;

/// Validates both lists of a device, or of the result of an allocation.
pub(super) fn validate(parent: &Value, at: At<'_>) -> Causes {
    let mut causes = label_keys(parent, CONDITIONS, at);
    causes.extend(label_keys(parent, FAILURES, at));
    let (conditions, failures) = (texts(parent, CONDITIONS), texts(parent, FAILURES));
    let mut seen_conditions = BTreeSet::new();
    for (i, condition) in conditions.iter().enumerate() {
        if !seen_conditions.insert(*condition) {
            causes.push(Cause::duplicate(format_args!("{at}.{CONDITIONS}[{i}]"), condition));
        }
    }
    let mut seen = BTreeSet::new();
    for (i, failure) in failures.iter().enumerate() {
        let at = format_args!("{at}.{FAILURES}[{i}]");
        if !seen.insert(*failure) {
            causes.push(Cause::duplicate(at, failure));
        }
        if seen_conditions.contains(failure) {
            let why = "bindingFailureConditions must not overlap with bindingConditions";
            causes.push(Cause::invalid(at, failure, why));
        }
    }
    causes.extend(missing(parent, at));
    causes
}

/// Returns the cause for one list without the other.
fn missing(parent: &Value, at: At<'_>) -> Option<Cause> {
    let missing = |field: &str, other: &str| {
        let why = format!("{field} are required to use {other}");
        Some(Cause::invalid_json(format_args!("{at}.{field}"), &parent[field], &why))
    };
    match (items(parent, CONDITIONS).is_empty(), items(parent, FAILURES).is_empty()) {
        (true, false) => missing(CONDITIONS, FAILURES),
        (false, true) => missing(FAILURES, CONDITIONS),
        _ => None,
    }
}

fn texts<'v>(parent: &'v Value, field: &str) -> Vec<&'v str> {
    items(parent, field).iter().map(|item| item.as_str().unwrap_or_default()).collect()
}

fn label_keys(parent: &Value, field: &str, at: At<'_>) -> Causes {
    let list = texts(parent, field);
    if list.len() > MOST {
        return Causes::new();
    }
    let one = |(i, key): (usize, &&str)| invalid(&format_args!("{at}.{field}[{i}]"), key, names::label_key(key));
    list.iter().enumerate().flat_map(one).collect()
}
