//! Parses one field of a cron schedule, such as `*/5` or `mon-fri`, into a bit for each value that it allows. Upstream:
//! `getField` and `getRange` in `parser.go` of `github.com/robfig/cron/v3`.

use crate::conventions::quote::quote;

/// The range of a field, and the names of its values.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) least: u64,
    most: u64,
    /// The names of the values, from the least one on.
    names: &'static [&'static str],
}

pub(super) const MINUTES: Bounds = Bounds { least: 0, most: 59, names: &[] };
pub(super) const HOURS: Bounds = Bounds { least: 0, most: 23, names: &[] };
pub(super) const DAYS: Bounds = Bounds { least: 1, most: 31, names: &[] };
pub(super) const MONTHS: Bounds = Bounds {
    least: 1,
    most: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
pub(super) const WEEKDAYS: Bounds =
    Bounds { least: 0, most: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

/// The bit that marks an unrestricted field (`*`). If the days of the month or the days of the week are unrestricted,
/// only the other of the two fields restricts the day.
pub(super) const STAR: u64 = 1 << 63;

/// Returns the bits of an unrestricted field.
pub(super) fn all(bounds: &Bounds) -> u64 {
    bits(bounds.least, bounds.most, 1) | STAR
}

/// Parses a field into a bit for each value.
///
/// # Errors
/// Upstream's message.
pub(super) fn parse(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let ranges = text.split(',').filter(|range| !range.is_empty());
    ranges.map(|range| parse_range(range, bounds)).try_fold(0, |sum, bits| Ok(sum | bits?))
}

/// Parses `NUMBER`, `NUMBER-NUMBER` or a star, each with an optional `/STEP`.
fn parse_range(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let ends: Vec<&str> = parts[0].split('-').collect();
    let is_star = matches!(ends[0], "*" | "?");
    let (start, mut end) = if is_star {
        (bounds.least, bounds.most)
    } else {
        let start = value(ends[0], bounds)?;
        match ends[1..] {
            [] => (start, start),
            [end] => (start, value(end, bounds)?),
            _ => return Err(format!("too many hyphens: {text}")),
        }
    };
    let step = match parts[1..] {
        [] => 1,
        [step] => {
            let step = number(step)?;
            if ends.len() == 1 {
                end = bounds.most; // `N/STEP` is `N-MAX/STEP`
            }
            step
        }
        _ => return Err(format!("too many slashes: {text}")),
    };
    if start < bounds.least {
        return Err(format!("beginning of range ({start}) below minimum ({}): {text}", bounds.least));
    }
    if end > bounds.most {
        return Err(format!("end of range ({end}) above maximum ({}): {text}", bounds.most));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {text}"));
    }
    Ok(bits(start, end, step) | if is_star && step == 1 { STAR } else { 0 })
}

/// Reads a number or a name.
fn value(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let name = text.to_lowercase();
    let found = (bounds.least..).zip(bounds.names).find(|(_, known)| **known == name);
    found.map_or_else(|| number(text), |(value, _)| Ok(value))
}

fn number(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) => u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}")),
        Err(_) => {
            let why = if is_number { "value out of range" } else { "invalid syntax" };
            Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {why}", quote(text)))
        }
    }
}

/// Sets the bit of every value from `start` to `end`, in steps of `step`.
fn bits(start: u64, end: u64, step: u64) -> u64 {
    (start..=end).filter(|value| (value - start).is_multiple_of(step)).map(|value| 1 << value).sum()
}
