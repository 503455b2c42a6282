//! Validates a number against its schema, and against the range of its type and format, such as `int32`. Integers and
//! floats are compared as Go's `int64` and `float64`. Upstream: `numberValidator` in kube-openapi's
//! `pkg/validation/validate/validator.go`, and `values.go`.

use std::cmp::Ordering;

use super::outcome::Outcome;
use super::path::Path;
use crate::codec::go_text::GoText;
use crate::codec::structural::Structural;
use crate::codec::structural::number::{Number, is_whole, truncated};
use crate::conventions::cause::Cause;
use crate::value::Value;

/// Checks a number. Each bound is converted to the type of the number before the comparison. If the bound does not fit
/// the schema's type, that is a cause as well, and the number and the bound are compared as floats.
pub(super) fn check(schema: &Structural, number: Number, path: &Path) -> Outcome {
    let range = Range::of(schema);
    let mut outcome = Outcome { matches: 1, ..Outcome::of(range.refusal(number, "Checked", path)) };
    let mut bound = |bound: Option<f64>, what: &str, refusal: &dyn Fn(Number, f64) -> Option<Cause>| {
        let Some(bound) = bound else { return };
        let misfit = range.refusal(Number::Float(bound), what, path);
        let number = if misfit.is_some() { Number::Float(number.to_f64()) } else { number };
        outcome.merge(Outcome::of(misfit));
        outcome.merge(Outcome::of(refusal(number, bound)));
    };
    bound(schema.multiple_of, "MultipleOf", &|number, factor| not_multiple(number, factor, path));
    bound(schema.minimum, "Minimum boundary", &|number, least| match schema.exclusive_minimum {
        true => beyond(number, least, path, "greater than", Ordering::is_le),
        false => beyond(number, least, path, "greater than or equal to", Ordering::is_lt),
    });
    bound(schema.maximum, "Maximum boundary", &|number, most| match schema.exclusive_maximum {
        true => beyond(number, most, path, "less than", Ordering::is_ge),
        false => beyond(number, most, path, "less than or equal to", Ordering::is_gt),
    });
    outcome
}

/// Returns a cause if the number is beyond a bound, according to `is_beyond` of their comparison.
fn beyond(number: Number, bound: f64, path: &Path, words: &str, is_beyond: fn(Ordering) -> bool) -> Option<Cause> {
    let (value, limit) = pair(number, bound);
    compare(value, limit)
        .is_some_and(is_beyond)
        .then(|| wrong(path, value, &format!("{} in body should be {words} {}", path.name(), text(limit))))
}

fn compare(value: Number, limit: Number) -> Option<Ordering> {
    match (value, limit) {
        (Number::Int(value), Number::Int(limit)) => Some(value.cmp(&limit)),
        (value, limit) => value.to_f64().partial_cmp(&limit.to_f64()),
    }
}

/// Returns a number and a bound, converted to the type of the number.
fn pair(number: Number, bound: f64) -> (Number, Number) {
    match number {
        Number::Int(_) => (number, Number::Int(truncated(bound))),
        Number::Float(_) => (number, Number::Float(bound)),
    }
}

fn not_multiple(number: Number, factor: f64, path: &Path) -> Option<Cause> {
    let (value, factor) = pair(number, factor);
    let is_multiple = match (value, factor) {
        (_, Number::Int(..=0)) => return Some(not_positive(factor, path)),
        (_, Number::Float(float)) if float <= 0.0 => return Some(not_positive(factor, path)),
        (Number::Int(value), Number::Int(factor)) => value % factor == 0,
        (value, factor) => {
            let (value, factor) = (value.to_f64(), factor.to_f64());
            is_whole(if factor < 1.0 { 1.0 / factor * value } else { value / factor })
        }
    };
    let detail = || format!("{} in body should be a multiple of {}", path.name(), text(factor));
    (!is_multiple).then(|| wrong(path, value, &detail()))
}

fn not_positive(factor: Number, path: &Path) -> Cause {
    let detail = format!("factor MultipleOf declared for {} must be positive: {}", path.name(), text(factor));
    wrong(path, factor, &detail)
}

fn wrong(path: &Path, value: Number, detail: &str) -> Cause {
    Cause::invalid_as(path.field(), &text(value), detail)
}

fn text(number: Number) -> String {
    let value = match number {
        Number::Int(int) => Value::from(int),
        Number::Float(float) => Value::from(float),
    };
    GoText(&value).to_string()
}

/// The range of numbers of a type and a format.
struct Range<'a> {
    kind: &'a str,
    format: &'a str,
}

impl<'a> Range<'a> {
    /// Returns the range of a schema. A schema with several types allows all numbers.
    fn of(schema: &'a Structural) -> Self {
        match schema.kinds() {
            [kind @ ("integer" | "number")] => Self { kind, format: schema.checked_format() },
            _ => Self { kind: "", format: "" },
        }
    }

    /// Returns a cause if the number is out of range. Upstream: `IsValueValidAgainstRange`.
    fn refusal(&self, number: Number, what: &str, path: &Path) -> Option<Cause> {
        if self.holds(number) {
            return None;
        }
        let format =
            if self.format.is_empty() { "(default format)".into() } else { format!("with format {}", self.format) };
        let detail = format!("{what} value must be of type {} {format} in {}", self.kind, path.name());
        Some(Cause::invalid(path.root(), "", &detail))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a number out of range becomes infinite")]
    fn holds(&self, number: Number) -> bool {
        match (self.kind, self.format) {
            ("integer", format) => {
                let int = match number {
                    Number::Int(int) => Some(int),
                    Number::Float(float) => float.to_string().parse().ok(),
                };
                int.is_some_and(|int| format != "int32" || i32::try_from(int).is_ok())
            }
            ("number", "float") => (number.to_f64() as f32).is_finite(),
            _ => true,
        }
    }
}
