//! Validates a string against `minLength`, `maxLength`, `pattern` and `format` of its schema. Upstream:
//! `stringValidator` in kube-openapi's `pkg/validation/validate/validator.go`, and `formats.go`.

use super::outcome::Outcome;
use super::path::Path;
use crate::codec::structural::Structural;
use crate::codec::structural::format::Format;
use crate::conventions::cause::Cause;
use crate::conventions::quote::quote;

/// Checks the length, and then the pattern. Only the first violation is reported.
pub(super) fn check(schema: &Structural, text: &str, path: &Path) -> Outcome {
    let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if let Some(most) = schema.max_length
        && length() > most
    {
        return Outcome::with_cause(Cause::too_long_for(path.field(), usize::try_from(most).ok()));
    }
    if let Some(least) = schema.min_length
        && length() < least
    {
        return wrong(path, text, &format!("be at least {least} chars long"));
    }
    if schema.pattern.is_empty() {
        return Outcome::default();
    }
    match schema.compiled_pattern() {
        Ok(pattern) if pattern.is_match(text.as_bytes()) => Outcome::default(),
        Ok(_) => wrong(path, text, &format!("match '{}'", schema.pattern)),
        Err(error) => wrong(path, text, &format!("match '{}, but pattern is invalid: {error}'", schema.pattern)),
    }
}

fn wrong(path: &Path, text: &str, what: &str) -> Outcome {
    Outcome::with_cause(Cause::invalid(path.field(), text, &format!("{} in body should {what}", path.name())))
}

pub(super) fn check_format(schema: &Structural, format: Format, text: &str, path: &Path) -> Outcome {
    if format.fits(text) {
        return Outcome::default();
    }
    let text = quote(text);
    let detail = format!("{} in body must be of type {}: {text}", path.name(), schema.format);
    Outcome::with_cause(Cause::type_invalid(path.field(), &text, &detail))
}
