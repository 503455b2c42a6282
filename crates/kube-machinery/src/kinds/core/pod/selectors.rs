//! Validates label selectors, such as `matchLabels: {app: web}`, for all kinds that have one. Upstream:
//! `ValidateLabelSelector` in `pkg/apis/meta/v1/validation` of k8s.io/apimachinery.

use super::validation::labels;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, text};
use crate::kinds::names;
use crate::value::Value;

/// The messages about an operator that does not fit its values. Node selectors share them.
pub(super) const IN: &str = "must be specified when `operator` is 'In' or 'NotIn'";
pub(super) const EXISTS: &str = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
pub(super) const OPERATOR: &str = "not a valid selector operator";

pub(in crate::kinds) fn label_selector(selector: &Value, at: At<'_>) -> Causes {
    let mut causes = labels(&selector["matchLabels"], &format_args!("{at}.matchLabels"));
    for (i, requirement) in items(selector, "matchExpressions").iter().enumerate() {
        let at = format_args!("{at}.matchExpressions[{i}]");
        let (key, operator, values) =
            (text(requirement, "key"), text(requirement, "operator"), items(requirement, "values"));
        match operator {
            "In" | "NotIn" if values.is_empty() => causes.push(Cause::required(format_args!("{at}.values"), IN)),
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                causes.push(Cause::forbidden(format_args!("{at}.values"), EXISTS));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => causes.push(Cause::invalid(format_args!("{at}.operator"), other, OPERATOR)),
        }
        causes.extend(label_name(key, &format_args!("{at}.key")));
        for (n, value) in values.iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            let messages = names::label_value(value);
            causes.extend(messages.iter().map(|why| Cause::invalid(format_args!("{at}.values[{n}]"), value, why)));
        }
    }
    causes
}

/// Upstream: `ValidateLabelName`.
pub(super) fn label_name(name: &str, at: At<'_>) -> Causes {
    names::label_key(name).iter().map(|why| Cause::invalid(at, name, why)).collect()
}
