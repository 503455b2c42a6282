//! Parses and prints floats as Go does, for conversions and `format` in CEL expressions. Go: `strconv.ParseFloat`, and
//! `%g` and `%e` of `fmt`.

use std::borrow::Cow;

/// Parses a float; returns `None` if Go would refuse it.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let float: f64 = without_separators(text).parse().ok()?;
    let is_too_large = float.is_infinite() && text.contains(|c: char| c.is_ascii_digit());
    (!is_too_large).then_some(float)
}

/// Removes the underscores of a number, which Go allows between digits only.
fn without_separators(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let separates = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    if !text.contains('_') || text.match_indices('_').any(|(at, _)| !separates(at)) {
        return text.into();
    }
    text.replace('_', "").into()
}

/// Formats a float as `%g` does: in the shortest form, with an exponent for large and small numbers.
pub(crate) fn general(float: f64) -> String {
    if !float.is_finite() {
        return special(float).to_owned();
    }
    let scientific = format!("{float:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..6).contains(&exponent) { format!("{float}") } else { with_exponent(digits, exponent) }
}

/// Formats a float as `%e` does: `1.5e+10`.
fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Returns NaN or an infinity as Go prints it.
pub(crate) fn special(float: f64) -> &'static str {
    if float.is_nan() {
        "NaN"
    } else if float > 0.0 {
        "+Inf"
    } else {
        "-Inf"
    }
}
