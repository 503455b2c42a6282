//! Checks the formats `date`, `date-time` and `duration`. CEL rules need the length of a duration, so [`duration`]
//! returns it. Upstream: kube-openapi's `pkg/validation/strfmt/{date,time,duration}.go`, Go's `time.Parse` and
//! `time.ParseDuration`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::known;
use crate::conventions::go_duration::{self, digits};

/// Returns true for an existing day in the form `2006-01-02`.
pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = &bytes[from..to];
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0')))
    };
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else { return false };
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

// As upstream, any character may precede the fraction of the seconds: the dot is not escaped.
static TIME: LazyLock<Regex> =
    LazyLock::new(|| known("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"));

/// Returns true for a date, `t` or `T`, and a time with its zone. As upstream, a second `t` and everything after it are
/// ignored.
pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    // The pattern allows any two digits, so the hour, the minute and the second are compared with their maxima as text.
    is_date(date) && TIME.is_match(time.as_bytes()) && time[..2] <= *"23" && time[3..5] <= *"59" && time[6..8] <= *"59"
}

/// Returns a duration in nanoseconds, from Go's syntax (`1h30m`) or from Scala's (`2 minutes`). An overflow in Scala's
/// syntax wraps, as upstream.
pub(crate) fn duration(text: &str) -> Option<i64> {
    go_duration::duration(text).ok().or_else(|| scala_duration(text))
}

/// Returns the sum of all numbers that a unit follows, such as `1 day 2 hours`. As upstream, all other text is skipped.
/// `None` if no number has a unit, or if a number before a word does not fit an `int64`.
fn scala_duration(text: &str) -> Option<i64> {
    let (mut sum, mut rest) = (None, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = digits(&rest[start..]);
        let after = after.trim_start_matches(['\t', '\n', '\x0c', '\r', ' ']);
        let end = after.find(|c: char| !(c.is_ascii_alphabetic() || c == 'µ')).unwrap_or(after.len());
        rest = &after[end..];
        if end == 0 {
            continue;
        }
        let number: i64 = number.parse().ok()?;
        for (_, _, length) in units(&after[..end].to_lowercase()) {
            sum = Some(sum.unwrap_or(0_i64).wrapping_add(number.wrapping_mul(*length)));
        }
    }
    sum
}

/// Returns the units that a word stands for: it equals a short name, such as `s`, or begins with the long name, such as
/// `seconds`.
fn units(word: &str) -> impl Iterator<Item = &'static (&'static [&'static str], &'static str, i64)> {
    UNITS.iter().filter(move |(short, long, _)| short.contains(&word) || word.starts_with(long))
}

/// Each unit: its short names, the beginning of its long name, and its length in nanoseconds. Upstream: `timeUnits` and
/// `timeMultiplier`.
const UNITS: [(&[&str], &str, i64); 8] = [
    (&["ns"], "nano", 1),
    (&["us", "µs"], "micro", 1_000),
    (&["ms"], "milli", 1_000_000),
    (&["s"], "sec", 1_000_000_000),
    (&["m"], "min", 60_000_000_000),
    (&["h", "hr"], "hour", 3_600_000_000_000),
    (&["d"], "day", 86_400_000_000_000),
    (&["w", "wk"], "week", 604_800_000_000_000),
];
