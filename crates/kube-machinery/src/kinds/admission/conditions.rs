//! Validates `matchConditions`: the CEL expressions that must be true for a request to reach a webhook or a policy.
//! Upstream: `validateMatchConditions` in `pkg/apis/admissionregistration/validation`.

use std::collections::BTreeSet;

use super::expressions::Declarations;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, invalid, items, text};
use crate::kinds::names;
use crate::value::Value;

/// The largest number of conditions.
const MOST: usize = 64;

/// `parent` is a webhook or a policy's spec. `declared` has the variables that the conditions can use.
pub(super) fn validate(parent: &Value, declared: &Declarations, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::new());
    let count = items(parent, "matchConditions").len();
    if count > MOST {
        causes.push(Cause::too_many(format_args!("{at}.matchConditions"), count, MOST));
    }
    for (at, condition) in each(parent, "matchConditions", at) {
        let (name, at_name) = (text(condition, "name"), format_args!("{at}.name"));
        let at_expression = format_args!("{at}.expression");
        match text(condition, "expression").trim() {
            "" => causes.push(Cause::required(at_expression, "")),
            expression => causes.extend(declared.condition(expression, &at_expression)),
        }
        if name.is_empty() {
            causes.push(Cause::required(at_name, ""));
            continue;
        }
        causes.extend(invalid(&at_name, name, names::label_key(name)));
        if !seen.insert(name) {
            causes.push(Cause::duplicate(at_name, name));
        }
    }
    causes
}
