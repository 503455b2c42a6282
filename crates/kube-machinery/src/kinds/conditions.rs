//! Validates conditions of the common type `metav1.Condition`, which PodDisruptionBudgets and
//! ValidatingAdmissionPolicies have. Upstream: `ValidateConditions` in `pkg/apis/meta/v1/validation` of
//! k8s.io/apimachinery.

use std::collections::HashSet;

use super::fields::{each, invalid, one_of, text};
use super::names;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::value::Value;

/// The message about a malformed reason.
const REASON: &str = "a condition reason must start with alphabetic character, optionally followed by a string of \
    alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  \
    or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is \
    '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
/// The longest reason and the longest message, in bytes.
const LONGEST_REASON: usize = 1024;
const LONGEST_MESSAGE: usize = 32 * 1024;

/// Validates the conditions in a status. `at` is the field path of the status.
pub(super) fn conditions(status: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (at, condition) in each(status, "conditions", at) {
        let kind = text(condition, "type");
        if !seen.insert(kind) {
            causes.push(Cause::duplicate(at, kind));
        }
        causes.extend(validate_condition(condition, &at));
    }
    causes
}

fn validate_condition(condition: &Value, at: At<'_>) -> Causes {
    let (kind, reason) = (text(condition, "type"), text(condition, "reason"));
    let mut causes =
        invalid(&format_args!("{at}.type"), kind, if kind.is_empty() { Vec::new() } else { names::label_key(kind) });
    if kind.is_empty() {
        causes.push(Cause::required(format_args!("{at}.type"), "is required"));
    }
    causes.extend(match text(condition, "status") {
        "" => Some(Cause::required(format_args!("{at}.status"), "")),
        status => one_of(status, &["False", "True", "Unknown"], &format_args!("{at}.status")),
    });
    if condition["observedGeneration"].as_i64().is_some_and(|generation| generation < 0) {
        let why = "must be greater than or equal to zero";
        causes.push(Cause::invalid_json(
            format_args!("{at}.observedGeneration"),
            &condition["observedGeneration"],
            why,
        ));
    }
    if condition["lastTransitionTime"].is_null() {
        causes.push(Cause::required(format_args!("{at}.lastTransitionTime"), ""));
    }
    match reason {
        "" => causes.push(Cause::required(format_args!("{at}.reason"), "")),
        reason if !is_reason(reason) => causes.push(Cause::invalid(format_args!("{at}.reason"), reason, REASON)),
        reason if reason.len() > LONGEST_REASON => {
            causes.push(Cause::too_long(format_args!("{at}.reason"), LONGEST_REASON))
        }
        _ => {}
    }
    if text(condition, "message").len() > LONGEST_MESSAGE {
        causes.push(Cause::too_long(format_args!("{at}.message"), LONGEST_MESSAGE));
    }
    causes
}

fn is_reason(reason: &str) -> bool {
    reason.starts_with(|c: char| c.is_ascii_alphabetic())
        && reason.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && reason.chars().all(|c| c.is_ascii_alphanumeric() || "_,:".contains(c))
}
