//! Validates fields that hold a number or a percentage, such as `maxUnavailable: 25%`. Upstream: `intstr.IntOrString`.

use crate::conventions::cause::{At, Cause};
use crate::value::Value;

const FORM: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// Checks that the value is a number of at least 0, or a percentage. Upstream: `ValidatePositiveIntOrPercent`.
pub(in crate::kinds) fn positive(value: &Value, at: At<'_>) -> Option<Cause> {
    match value {
        Value::String(text) => percent(text).is_none().then(|| Cause::invalid(at, text, FORM)),
        number => {
            let is_negative = number.as_i64().is_some_and(|number| number < 0);
            is_negative.then(|| Cause::invalid_json(at, number, "must be greater than or equal to 0"))
        }
    }
}

/// Checks that a percentage is at most 100. Numbers pass. Upstream: `IsNotMoreThan100Percent`.
pub(in crate::kinds) fn at_most_all(value: &Value, at: At<'_>) -> Option<Cause> {
    let text = value.as_str()?;
    let is_more = percent(text)? > 100;
    is_more.then(|| Cause::invalid(at, text, "must not be greater than 100%"))
}

/// Returns true for `0`, `0%`, null, and a string that is not a number. Upstream: `getIntOrPercentValue`.
pub(in crate::kinds) fn is_zero(value: &Value) -> bool {
    match value {
        Value::String(text) => percent(text).or_else(|| text.parse().ok()).unwrap_or_default() == 0,
        number => number.as_i64().unwrap_or_default() == 0,
    }
}

/// Returns the number before the percent sign; `None` if the text is not a percentage.
fn percent(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(i64::MAX))
}
