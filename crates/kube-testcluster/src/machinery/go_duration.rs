//! Durations as texts. Go: `time.ParseDuration`.

use super::quote::quote;

/// A duration in nanoseconds.
///
/// # Errors
/// What Go says of a text that is none, without the name of the package.
pub(crate) fn duration(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 8] = [
        ("ns", 1.0),
        ("us", 1e3),
        ("\u{b5}s", 1e3),
        ("\u{3bc}s", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("m", 60e9),
        ("h", 3600e9),
    ];
    let invalid = || Err(format!("invalid duration {}", quote(text)));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0.0);
    }
    if rest.is_empty() {
        return invalid();
    }
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        let Ok(number) = number.parse::<f64>() else { return invalid() };
        let end = behind.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(end);
        if unit.is_empty() {
            return Err(format!("missing unit in duration {}", quote(text)));
        }
        let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("unknown unit {} in duration {}", quote(unit), quote(text)));
        };
        sum += number * length;
        rest = behind;
    }
    if sum >= 9.3e18 {
        return invalid();
    }
    Ok(if text.starts_with('-') { -sum } else { sum })
}
