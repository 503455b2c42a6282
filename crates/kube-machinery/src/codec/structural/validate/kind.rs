//! Validates the type of a value, with upstream's rules for whole floats, for numeric formats and for null. Upstream:
//! kube-openapi's `pkg/validation/validate/type.go`.

use super::outcome::Outcome;
use super::path::Path;
use crate::codec::structural::number::{Number, is_whole};
use crate::conventions::cause::Cause;
use crate::conventions::quote::quote;
use crate::value::Value;

/// Checks the type of a value, and the format of a number. `kinds` are the allowed types, and `wanted` is the schema's
/// format. As upstream, a string or a list fits any type but a numeric one if the schema has a format.
pub(super) fn check(kinds: &[&str], wanted: &str, nullable: bool, value: &Value, path: &Path) -> Outcome {
    if value.is_null() {
        let refused = !kinds.is_empty() && !nullable;
        return if refused { wrong(path, &kinds.join(","), "null") } else { passed() };
    }
    let (kind, format) = of(value);
    let number = Number::of(value);
    let whole = matches!(number, Some(Number::Float(float)) if is_whole(float)) && kinds.contains(&"integer");
    let fits = kinds.contains(&kind) || whole || (kind == "integer" && kinds.contains(&"number"));
    let is_text_or_list = value.is_string() || value.is_array();
    if !(is_text_or_list || wanted.is_empty() || fits || format == wanted) {
        return wrong(path, wanted, format);
    }
    let of_numbers = kinds.contains(&"number") || kinds.contains(&"integer");
    if fits || (!of_numbers && !wanted.is_empty() && is_text_or_list) {
        return passed();
    }
    wrong(path, &kinds.join(","), kind)
}

fn passed() -> Outcome {
    Outcome { matches: 1, ..Outcome::default() }
}

/// Returns the type and the format of a value. Upstream: `schemaInfoForType`.
fn of(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
        Value::Number(_) if matches!(Number::of(value), Some(Number::Int(_))) => ("integer", "int64"),
        Value::Number(_) => ("number", "float64"),
    }
}

fn wrong(path: &Path, wanted: &str, found: &str) -> Outcome {
    let detail = format!("{} in body must be of type {wanted}: {}", path.name(), quote(found));
    Outcome::with_cause(Cause::type_invalid(path.field(), &quote(found), &detail))
}
