//! A number in a custom resource as Go reads it: an `int64` if it is written as an integer and fits, otherwise a
//! `float64`. Upstream compares, converts and prints the two kinds differently.

use crate::value::Value;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// Returns the number in a value; `None` if the value is not a number.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let Value::Number(number) = value else { return None };
        match number.as_i64() {
            Some(int) => Some(Self::Int(int)),
            None => number.as_f64().map(Self::Float),
        }
    }

    pub(super) fn to_f64(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "as upstream")]
            Self::Int(int) => int as f64,
            Self::Float(float) => float,
        }
    }
}

/// Returns true if two values are equal for Go, where a float never equals an integer. Upstream: `reflect.DeepEqual`.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(_), Value::Number(_)) => Number::of(one) == Number::of(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}

/// Converts a float to an `int64` as Go does on amd64: a value out of range becomes the smallest `int64`.
pub(super) fn truncated(float: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "Go's conversion truncates as well")]
    if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float) { float as i64 } else { i64::MIN }
}

/// Returns true if a float is an integer up to rounding errors, and small enough to be exact. Upstream:
/// `swag.IsFloat64AJSONInteger`.
pub(super) fn is_whole(float: f64) -> bool {
    const MOST: f64 = 9_007_199_254_740_991.0; // 2^53 - 1
    if !float.is_finite() || float.abs() > MOST {
        return false;
    }
    let rounded = float.round();
    let difference = (float - rounded).abs();
    difference == 0.0 || (rounded != 0.0 && difference < 1e-9 * rounded.abs())
}
