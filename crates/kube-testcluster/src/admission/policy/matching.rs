//! Decides if a policy or a binding matches a request, by `matchConstraints` and `matchResources`: selectors, rules and
//! excluded rules. Match conditions come later, in `validator.rs`. Upstream: `admission/plugin/policy/matching`.

use super::super::{Attributes, matching};
use crate::http::status::ApiError;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::{Binding, MatchResources, NamedRule, Policy};

/// Returns the version in which the policy sees the objects; `None` if the policy does not match. The error is a
/// configuration error of the policy.
pub(super) fn definition(policy: &Policy, attributes: &Attributes<'_>) -> Result<Option<Resource>, String> {
    let constraints = policy.constraints.as_ref().ok_or("policy contained no match constraints, a required field")?;
    row(constraints, attributes).map_err(|why| why.message().to_owned())
}

/// Returns true if the binding matches. The error is a configuration error of the binding.
pub(super) fn binding(binding: &Binding, attributes: &Attributes<'_>) -> Result<bool, String> {
    match &binding.resources {
        None => Ok(true),
        Some(resources) => Ok(row(resources, attributes).map_err(|why| why.message().to_owned())?.is_some()),
    }
}

/// Returns the version that the resources match; `None` if they do not match. Without rules, the request's own version
/// matches. Upstream: `Matcher.Matches`.
fn row(resources: &MatchResources, attributes: &Attributes<'_>) -> Result<Option<Resource>, ApiError> {
    let in_namespace = matching::is_in_namespace(&resources.namespace_selector, attributes);
    let is_selected = matching::is_selected(&resources.object_selector, attributes);
    if matches!(in_namespace, Ok(false)) || matches!(is_selected, Ok(false)) {
        return Ok(None);
    }
    let named = |rules: &[NamedRule]| {
        matching::row(rules, resources.policy, attributes, |rule, values| rule.matches(values, attributes.name()))
    };
    if named(&resources.excluded).is_some() {
        return Ok(None);
    }
    let row =
        if resources.rules.is_empty() { Some(attributes.request.served.clone()) } else { named(&resources.rules) };
    if row.is_some() {
        // As upstream, an invalid selector is an error only if the rules match.
        in_namespace.and(is_selected)?;
    }
    Ok(row)
}
