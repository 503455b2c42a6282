//! The amounts of a shared device's capacity that a claim can ask for: some values, or a range with steps. As the
//! feature gate `DRAFractionalCapacityRange` is disabled, fractions count as the next whole number. Upstream:
//! `validateRequestPolicy` in `pkg/apis/resource/validation`.

use std::collections::HashSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::quantity::Quantity;
use crate::kinds::fields::items;
use crate::value::Value;

const MOST_VALUES: usize = 10;
/// The largest int64.
const MOST: &str = "9223372036854775807";
const NEGATIVE: &str = "must be greater than or equal to 0";

/// `value` is the whole capacity.
pub(super) fn validate(value: &Value, policy: &Value, at: At<'_>) -> Causes {
    let (values, range, default) = (items(policy, "validValues"), &policy["validRange"], amount(&policy["default"]));
    let missing = |field: &str| {
        Causes::from([Cause::required(format_args!("{at}.default"), &format!("required when {field} is defined"))])
    };
    let Some(capacity) = amount(value) else { return Causes::new() };
    match (values.is_empty(), range.is_null(), default) {
        (false, false, _) => {
            let why = r#"exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time"#;
            Causes::from([Cause::forbidden(at, why)])
        }
        (false, true, None) => missing("validValues"),
        (true, false, None) => missing("validRange"),
        (false, true, Some(default)) => validate_values(values, &default, &capacity, &format_args!("{at}.validValues")),
        (true, false, Some(default)) => Range::read(range, default, &format_args!("{at}.validRange"), &capacity),
        (true, true, _) => Causes::new(),
    }
}

fn amount(value: &Value) -> Option<Quantity> {
    Quantity::parse(value.as_str()?).ok()
}

/// Upstream: `validateRequestPolicyValidValues`.
fn validate_values(values: &[Value], default: &Quantity, capacity: &Quantity, at: At<'_>) -> Causes {
    let values: Vec<Quantity> = values.iter().filter_map(amount).collect();
    let mut causes = Causes::new();
    for (i, pair) in values.windows(2).enumerate() {
        if pair[0].compare(&pair[1]).is_gt() {
            let at = format_args!("{at}[{}]", i + 1);
            causes.push(Cause::invalid(at, &pair[1].to_string(), "values must be sorted in ascending order"));
        }
    }
    let mut has_default = false;
    if values.len() > MOST_VALUES {
        causes.push(Cause::too_many(at, values.len(), MOST_VALUES));
    } else {
        for (i, value) in values.iter().enumerate() {
            has_default |= value.compare(default).is_eq();
            if value.compare(capacity).is_gt() {
                let why = format!("option is larger than capacity value: {capacity}");
                causes.push(Cause::invalid(format_args!("{at}[{i}]"), &value.to_string(), &why));
            }
        }
        let mut seen = HashSet::new();
        for (i, value) in values.iter().enumerate() {
            if !seen.insert(value.whole()) {
                causes.push(Cause::duplicate(format_args!("{at}[{i}]"), &value.whole()));
            }
        }
    }
    if !has_default {
        let why = "default value is not valid according to the requestPolicy";
        causes.push(Cause::invalid(at, &default.to_string(), why));
    }
    causes
}

/// A range of amounts with its default.
struct Range<'a> {
    default: Quantity,
    min: Quantity,
    max: Option<Quantity>,
    step: Option<Quantity>,
    capacity: &'a Quantity,
}

impl<'a> Range<'a> {
    /// Upstream: `validateRequestPolicyRange`.
    fn read(range: &Value, default: Quantity, at: At<'_>, capacity: &'a Quantity) -> Causes {
        let Some(min) = amount(&range["min"]) else {
            return Causes::from([Cause::required(format_args!("{at}.min"), "required when validRange is defined")]);
        };
        Self { default, min, max: amount(&range["max"]), step: amount(&range["step"]), capacity }.validate(at)
    }

    fn validate(&self, at: At<'_>) -> Causes {
        let mut causes = self.bounds(at);
        causes.extend(self.step.as_ref().map(|step| self.steps(step, at)).unwrap_or_default());
        causes
    }

    fn bounds(&self, at: At<'_>) -> Causes {
        let Self { default, min, capacity, .. } = self;
        let mut causes = Causes::new();
        let mut wrong = |field: &str, value: &Quantity, why: String| {
            causes.push(Cause::invalid(format_args!("{at}.{field}"), &value.to_string(), &why));
        };
        if min.compare(capacity).is_gt() {
            wrong("min", min, format!("min is larger than capacity value: {capacity}"));
        }
        if default.compare(min).is_lt() {
            wrong("default", default, format!("default is less than min: {min}"));
        }
        if let Some(max) = &self.max {
            if min.compare(max).is_gt() {
                wrong("max", min, format!("min is larger than max: {max}"));
            }
            if max.compare(capacity).is_gt() {
                wrong("max", max, format!("max is larger than capacity value: {capacity}"));
            }
            if default.compare(max).is_gt() {
                wrong("default", default, format!("default is more than max: {max}"));
            }
        }
        causes
    }

    fn steps(&self, step: &Quantity, at: At<'_>) -> Causes {
        let at_step = format_args!("{at}.step");
        if step.is_zero() || step.is_negative() {
            return Causes::from([Cause::invalid(at_step, &step.to_string(), "must be greater than zero")]);
        }
        let mut causes = Causes::new();
        let one = self.min.plus(step);
        if one.compare(self.capacity).is_gt() {
            let why = format!("one step {one} is larger than capacity value: {}", self.capacity);
            causes.push(Cause::invalid(at_step, &step.to_string(), &why));
        }
        let unsafe_values = self.outside_of_int64(at);
        if !unsafe_values.is_empty() {
            causes.extend(unsafe_values);
            return causes;
        }
        let (size, min) = (i128::from(step.scaled(0)), i128::from(self.min.scaled(0)));
        let off = |value: &&Quantity| size != 0 && (i128::from(value.scaled(0)) - min) % size != 0;
        let why = format!("value is not a multiple of a given step ({step}) from ({})", self.min);
        let values = [Some(&self.default), self.max.as_ref()].into_iter().flatten();
        causes.extend(values.filter(off).map(|value| Cause::invalid(at_step, &value.to_string(), &why)));
        causes
    }

    /// Returns the causes for amounts with which Go cannot compute. Upstream: `validateInt64Range`.
    fn outside_of_int64(&self, at: At<'_>) -> Causes {
        let all = [
            ("default", Some(&self.default)),
            ("min", Some(&self.min)),
            ("max", self.max.as_ref()),
            ("step", self.step.as_ref()),
        ];
        let why = |value: &Quantity| {
            let is_larger = Quantity::parse(MOST).is_ok_and(|most| value.compare(&most).is_gt());
            if value.is_negative() {
                Some(NEGATIVE.to_owned())
            } else {
                is_larger.then(|| format!("must not be larger than {MOST}"))
            }
        };
        let cause = |(field, value): (&str, Option<&Quantity>)| {
            let value = value?;
            Some(Cause::invalid(format_args!("{at}.{field}"), &value.to_string(), &why(value)?))
        };
        all.into_iter().filter_map(cause).collect()
    }
}
