//! Validates custom resources, and the defaults in a CustomResourceDefinition, against a structural schema, with
//! upstream's messages. Upstream: kube-openapi's `pkg/validation/validate`, and apiextensions-apiserver's
//! `pkg/apiserver/validation/validation.go`, which turns the errors of the former into causes.
//!
//! A value is checked once for each schema that applies to it. The recursion is as deep as the schema, whose depth is
//! bounded because it is part of an object.

mod combination;
mod kind;
mod number;
mod object;
mod outcome;
mod path;
pub(super) mod ratchet;
mod text;

use self::outcome::Outcome;
use self::path::Path;
use self::ratchet::Ratchet;
use super::Structural;
use super::format::Format;
use super::number::{Number, same, truncated};
use super::print_value::print_value;
use crate::codec::go_json::go_json;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::value::Value;

/// Validates a value. `at` is the path of the value in its object: empty for the object itself, or `status`.
pub(crate) fn validate(schema: &Structural, value: &Value, at: &str) -> Causes {
    Walk::new(at, Validator::OfObjects).causes(schema, value, None)
}

/// Validates a default. Upstream builds the validator of defaults in a different way (`ToKubeOpenAPI`).
pub(crate) fn validate_default(schema: &Structural, default: &Value) -> Causes {
    Walk::new("", Validator::OfDefaults).causes(schema, default, None)
}

/// Validates the new value of an update. Unchanged parts are not checked again ("ratcheting"), so that a stricter
/// schema does not block unrelated updates. Upstream: `ratcheting.go`.
pub(crate) fn validate_update(schema: &Structural, new: &Value, old: &Value, at: &str) -> Causes {
    Walk::new(at, Validator::OfObjects).causes(schema, new, Some(old))
}

/// The most work of one walk: comparisons of a value with a schema or with an allowed value, and for each cause the
/// length of its texts in units of [`TEXT_UNIT`]. The work can grow with the product of an object and its schema, and
/// one client may write both. Upstream has no limit.
const MOST_WORK: usize = 5_000_000;

/// The bytes of a text that count as much as a comparison.
const TEXT_UNIT: usize = 64;

/// The way a validator reads a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Validator {
    /// The validator of custom resources: a format is checked only if the type has such a format.
    OfObjects,
    /// The validator of defaults: every format is checked, and an int-or-string may have any type.
    OfDefaults,
}

struct Walk {
    path: Path,
    ratchet: Ratchet,
    validator: Validator,
    /// The work so far, without the paths of causes, which `path` counts.
    comparisons: usize,
}

impl Walk {
    fn new(at: &str, validator: Validator) -> Self {
        Self { path: Path::new(at), ratchet: Ratchet::default(), validator, comparisons: 0 }
    }

    fn causes(&mut self, schema: &Structural, value: &Value, old: Option<&Value>) -> Causes {
        let mut causes = self.check(schema, value, old).causes.distinct();
        if self.is_exhausted() {
            let why = "the object and its schema are too large to be compared";
            causes.push(Cause::invalid_alone(self.path.root(), why));
        }
        causes
    }

    /// Returns true if the walk has done all work that it may do. The rest of the value is then not checked.
    fn is_exhausted(&self) -> bool {
        self.comparisons + self.path.formatted() / TEXT_UNIT > MOST_WORK
    }

    /// Returns the types that are allowed; an empty list if any type is.
    fn kinds<'s>(&self, schema: &'s Structural) -> &'s [&'s str] {
        match self.validator {
            Validator::OfDefaults if schema.is_int_or_string => &[],
            _ => schema.kinds(),
        }
    }

    /// Returns the format to check; empty if there is none.
    fn format<'s>(&self, schema: &'s Structural) -> &'s str {
        match self.validator {
            Validator::OfObjects => schema.checked_format(),
            Validator::OfDefaults => &schema.format,
        }
    }

    /// Checks the type of a value.
    fn kind(&self, schema: &Structural, value: &Value) -> Outcome {
        kind::check(self.kinds(schema), self.format(schema), schema.nullable, value, &self.path)
    }

    /// Checks a value. `old` is its old state, if it is known. Upstream: `SchemaValidator.Validate`.
    fn check(&mut self, schema: &Structural, value: &Value, old: Option<&Value>) -> Outcome {
        let mut outcome = Outcome::default();
        self.comparisons += 1 + schema.allowed.len();
        if self.is_exhausted() {
            return outcome;
        }
        if let Some(old) = old
            && self.ratchet.unchanged(schema, value, old)
        {
            return outcome;
        }
        if value.is_null() {
            outcome.merge(self.kind(schema, value));
            outcome.merge(self.allowed(schema, value));
            return outcome;
        }
        if !self.kinds(schema).is_empty() || !self.format(schema).is_empty() {
            outcome.merge_counted(self.kind(schema, value));
        }
        outcome.merge_counted(self.combinations(schema, value));
        match value {
            Value::String(text) => {
                outcome.merge_counted(text::check(schema, text, &self.path));
                if let Some(format) = Format::named(self.format(schema)) {
                    outcome.merge_counted(text::check_format(schema, format, text, &self.path));
                }
            }
            Value::Array(items) => outcome.merge_counted(self.items(schema, items, old)),
            _ => {}
        }
        if let Some(number) = Number::of(value) {
            outcome.merge_counted(number::check(schema, number, &self.path));
        }
        outcome.merge_counted(self.allowed(schema, value));
        if let Value::Object(fields) = value {
            outcome.merge_counted(self.fields(schema, fields, old));
        }
        outcome.matches += 1;
        outcome
    }

    /// Checks that a value is in `enum`. Null never is, even if it is listed. Upstream: `basicCommonValidator`.
    fn allowed(&mut self, schema: &Structural, value: &Value) -> Outcome {
        let allowed = &schema.allowed;
        if allowed.is_empty() || allowed.iter().any(|allowed| converts_to(value, allowed)) {
            return Outcome::default();
        }
        let allowed: Vec<String> =
            allowed.iter().map(|value| value.as_str().map_or_else(|| go_json(value), String::from)).collect();
        self.comparisons += allowed.iter().map(String::len).sum::<usize>() / TEXT_UNIT;
        Outcome::with_cause(Cause::unsupported_value(self.path.field(), &print_value(value), &allowed))
    }
}

/// Returns true if a value equals an allowed one after Go's conversion to the type of the allowed one.
fn converts_to(value: &Value, allowed: &Value) -> bool {
    match (Number::of(value), Number::of(allowed)) {
        (Some(Number::Float(value)), Some(Number::Int(allowed))) => truncated(value) == allowed,
        (Some(value @ Number::Int(_)), Some(Number::Float(allowed))) => value.to_f64() == allowed,
        // Go converts an integer to the string of the character with this number.
        (Some(Number::Int(value)), None) => {
            let letter = u32::try_from(value).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
            allowed.as_str().is_some_and(|allowed| allowed.chars().eq([letter]))
        }
        _ => !allowed.is_null() && same(value, allowed),
    }
}
