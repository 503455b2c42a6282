//! The conditions in CEL under which somebody is asked. Upstream: `admission/plugin/webhook/matchconditions`.

use super::Attributes;
use crate::http::status::ApiError;
use crate::kinds::Resource;
use crate::kinds::admission::{Condition, FailurePolicy};

/// Whether all conditions are true. One that is false decides, whatever is wrong with the others.
///
/// # Errors
/// That a condition cannot be told, if the policy is to fail then.
pub(super) fn are_met(
    conditions: &[Condition],
    policy: FailurePolicy,
    attributes: &Attributes<'_>,
    row: &'static Resource,
) -> Result<bool, ApiError> {
    if conditions.is_empty() {
        return Ok(true);
    }
    let mut errors = Vec::new();
    for result in results(conditions, attributes, row) {
        match result {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(why) => errors.push(why),
        }
    }
    match (errors.as_slice(), policy) {
        ([], _) => Ok(true),
        (_, FailurePolicy::Ignore) => Ok(false),
        ([one], _) => Err(refused(attributes, one)),
        (several, _) => Err(refused(attributes, &format!("[{}]", several.join(", ")))),
    }
}

fn refused(attributes: &Attributes<'_>, why: &str) -> ApiError {
    ApiError::forbidden(attributes.request.served, attributes.name(), why)
}

#[cfg(feature = "cel")]
fn results(conditions: &[Condition], attributes: &Attributes<'_>, row: &'static Resource) -> Vec<Result<bool, String>> {
    use crate::codec::expression::{Value, cost};

    let variables = super::variables::Variables::of(attributes, row);
    let all = variables.all();
    let result = |condition: &Condition| {
        if variables.objects().iter().any(|object| condition.program().cost(object) > cost::OF_A_CALL) {
            return Err("operation cancelled: actual cost limit exceeded".to_owned());
        }
        match condition.program().run(all.clone()) {
            Ok(Value::Bool(is_met)) => Ok(is_met),
            Ok(_) => Err("expression must evaluate to bool".to_owned()),
            Err(why) => Err(why),
        }
    };
    conditions.iter().map(result).collect()
}

#[cfg(not(feature = "cel"))]
fn results(conditions: &[Condition], _: &Attributes<'_>, _: &'static Resource) -> Vec<Result<bool, String>> {
    conditions.iter().map(|_| Err("this API server was built without CEL: the feature `cel`".to_owned())).collect()
}
