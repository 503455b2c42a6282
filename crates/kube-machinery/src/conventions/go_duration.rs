//! Parses durations such as `1h30m` in Go's syntax, with Go's messages: in CEL, in schemas, in schedules and in the
//! timeouts of requests. Go: `time.ParseDuration`.

use super::quote::quote;

/// The largest size of a duration in nanoseconds. Only a negative duration can have it, because the largest `int64` is
/// one less.
const MOST: u64 = 1 << 63;

/// Parses a duration into nanoseconds.
///
/// # Errors
/// Go's message, without the name of the package.
pub fn duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("invalid duration {}", quote(text));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let (unit, after) = after.split_at(after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len()));
        if unit.is_empty() {
            return Err(format!("missing unit in duration {}", quote(text)));
        }
        let Some(length) = length(unit) else {
            return Err(format!("unknown unit {} in duration {}", quote(unit), quote(text)));
        };
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let fits = |nanoseconds: &u64| *nanoseconds <= MOST;
        let part = whole.checked_mul(length).filter(fits).map(|whole| whole + part(fraction, length)).filter(fits);
        // Two parts of at most 2^63 can wrap to 0, as Go's `uint64` does.
        sum = part.map(|part| sum.wrapping_add(part)).filter(fits).ok_or_else(invalid)?;
        rest = after;
    }
    let signed = if text.starts_with('-') { -i128::from(sum) } else { i128::from(sum) };
    i64::try_from(signed).map_err(|_| invalid())
}

/// Splits a text after its leading digits.
pub(crate) fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// Returns the nanoseconds of a unit.
fn length(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000, // also with the micro sign, or with the Greek letter mu
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

/// Converts a decimal fraction of a unit to whole nanoseconds. Go: `leadingFraction`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "as in Go")]
fn part(fraction: &str, length: u64) -> u64 {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in fraction.bytes() {
        if value > (MOST - 1) / 10 {
            break;
        }
        let longer = value * 10 + u64::from(digit - b'0');
        if longer > MOST {
            break;
        }
        value = longer;
        scale *= 10.0;
    }
    (value as f64 * (length as f64 / scale)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_exact() {
        for (text, nanoseconds) in [
            ("0", 0),
            ("-1s", -1_000_000_000),
            ("1h2m3.5s", 3_723_500_000_000),
            (".5ms", 500_000),
            ("1.s", 1_000_000_000),
            ("+3\u{b5}s", 3_000),
            ("9007199254740993ns", 9_007_199_254_740_993),
            ("0.9223372036854775807h", 3_320_413_933_267),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(duration(text), Ok(nanoseconds), "{text}");
        }
    }

    #[test]
    fn an_invalid_duration_gets_gos_message() {
        for (text, why) in [
            ("", "invalid duration \"\""),
            ("+", "invalid duration \"+\""),
            ("-.s", "invalid duration \"-.s\""),
            ("1", "missing unit in duration \"1\""),
            ("1d", "unknown unit \"d\" in duration \"1d\""),
            ("9223372036854775808ns", "invalid duration \"9223372036854775808ns\""),
            ("2562048h", "invalid duration \"2562048h\""),
            ("99999999999999999999s", "invalid duration \"99999999999999999999s\""),
        ] {
            assert_eq!(duration(text), Err(why.to_owned()), "{text}");
        }
    }
}
