//! Match conditions (`matchConditions`): CEL expressions with which a webhook or a policy excludes requests that its
//! rules and selectors match. They are evaluated only for such requests. Upstream:
//! `admission/plugin/webhook/matchconditions`.

use super::Attributes;
use crate::http::status::ApiError;
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::{Condition, FailurePolicy};

/// Returns true if a webhook's match conditions are met. They see the objects in the version of `row`. Fails if a
/// condition cannot be evaluated and the failure policy is `Fail`.
pub(super) fn are_met(
    conditions: &[Condition],
    policy: FailurePolicy,
    attributes: &Attributes<'_>,
    row: &Resource,
) -> Result<bool, ApiError> {
    if conditions.is_empty() {
        return Ok(true);
    }
    combine(results(conditions, attributes, row), policy)
        .map_err(|why| ApiError::forbidden(&attributes.request.served, attributes.name_in_refusal(), &why))
}

/// Combines the results of match conditions, of a webhook or of a policy. Returns true if all conditions are true. A
/// false one decides, even if others cannot be evaluated.
///
/// # Errors
/// The evaluation errors, if no condition is false and the failure policy is not `Ignore`.
pub(super) fn combine(
    results: impl IntoIterator<Item = Result<bool, String>>,
    policy: FailurePolicy,
) -> Result<bool, String> {
    let mut errors: Vec<String> = Vec::new();
    for result in results {
        match result {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(why) => errors.push(why),
        }
    }
    match (aggregate(errors), policy) {
        (None, _) => Ok(true),
        (_, FailurePolicy::Ignore) => Ok(false),
        (Some(why), _) => Err(why),
    }
}

#[cfg(feature = "cel")]
fn results(conditions: &[Condition], attributes: &Attributes<'_>, row: &Resource) -> Vec<Result<bool, String>> {
    use super::policy::activation::{Activation, SharedValues};
    use super::policy::evaluation;

    let shared = SharedValues::of(attributes, row, None);
    evaluation::conditions(conditions, &Activation::of_webhook(&shared))
}

#[cfg(not(feature = "cel"))]
fn results(conditions: &[Condition], _: &Attributes<'_>, _: &Resource) -> Vec<Result<bool, String>> {
    conditions.iter().map(|_| Err("this API server was built without CEL: the feature `cel`".to_owned())).collect()
}
