//! Dates, times and durations. Upstream: kube-openapi's `pkg/validation/strfmt/{date,time,duration}.go`, Go's `time.Parse` and
//! `time.ParseDuration`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::known;

/// `2006-01-02`, a day that exists.
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

static TIME: LazyLock<Regex> =
    LazyLock::new(|| known("^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$"));

/// A date, `t`, and a time with its zone. What follows another `t` is not looked at, as upstream.
pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && TIME.is_match(time.as_bytes()) && time[..2] <= *"23" && time[3..5] <= *"59" && time[6..8] <= *"59"
}

/// Go's duration, or Scala's.
pub(super) fn is_duration(text: &str) -> bool {
    is_go_duration(text) || is_scala_duration(text)
}

/// Upstream: `time.ParseDuration`.
fn is_go_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    const MOST: u64 = 1 << 63;
    let mut sum: u64 = 0;
    while !rest.is_empty() {
        let (whole, after) = digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
        let Ok(value) = (if whole.is_empty() { Ok(0) } else { whole.parse::<u64>() }) else { return false };
        if value > MOST || (whole.is_empty() && fraction.is_empty()) {
            return false;
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let unit: u64 = match &after[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return false,
        };
        let part = value.checked_mul(unit).filter(|part| *part <= MOST);
        match part.and_then(|part| sum.checked_add(part)) {
            Some(added) if added <= MOST => sum = added,
            _ => return false,
        }
        rest = &after[end..];
    }
    sum < MOST || text.starts_with('-')
}

/// The digits at the beginning, and the rest.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// A number and a unit somewhere, and no number that is too large before a unit.
fn is_scala_duration(text: &str) -> bool {
    let (mut found, mut rest) = (false, text);
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (number, after) = digits(&rest[start..]);
        let after = after.trim_start_matches(['\t', '\n', '\x0c', '\r', ' ']);
        let end = after.find(|c: char| !(c.is_ascii_alphabetic() || c == 'µ')).unwrap_or(after.len());
        rest = &after[end..];
        if end == 0 {
            continue;
        }
        if number.parse::<i64>().is_err() {
            return false;
        }
        found |= is_unit(&after[..end].to_lowercase());
    }
    found
}

/// A unit: a short name, or what begins as a long one.
fn is_unit(unit: &str) -> bool {
    const SHORT: [&str; 12] = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk", "μs"];
    const LONG: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    SHORT.contains(&unit) || LONG.iter().any(|long| unit.starts_with(long))
}
