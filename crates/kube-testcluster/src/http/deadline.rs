//! `timeout` in a query: how long a request may take. Here all are fast, so only what is wrong with it matters. Upstream:
//! `WithRequestDeadline`.

use crate::machinery::quote::quote;

/// What is wrong with a timeout; nothing is, if it is empty.
pub(crate) fn deadline_problem(text: &str) -> Option<String> {
    let problem = if text.is_empty() { None } else { duration_problem(text) };
    problem.map(|problem| format!("invalid timeout specified in the request URL - time: {problem}"))
}

/// Go's message for a text that is no duration. Go: `time.ParseDuration`.
fn duration_problem(text: &str) -> Option<String> {
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
    let invalid = || Some(format!("invalid duration {}", quote(text)));
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return None;
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
            return Some(format!("missing unit in duration {}", quote(text)));
        }
        let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            return Some(format!("unknown unit {} in duration {}", quote(unit), quote(text)));
        };
        sum += number * length;
        rest = behind;
    }
    if sum >= 9.3e18 { invalid() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_a_duration_as_go_reads_it() {
        for good in ["", "0", "-1s", "1h2m3.5s", ".5ms", "+3us"] {
            assert_eq!(deadline_problem(good), None, "{good}");
        }
        for (bad, why) in [
            ("x", "invalid duration \"x\""),
            ("5", "missing unit in duration \"5\""),
            ("5 s", "unknown unit \" s\" in duration \"5 s\""),
            ("1d", "unknown unit \"d\" in duration \"1d\""),
            ("-", "invalid duration \"-\""),
            (".s", "invalid duration \".s\""),
            ("99999999999h", "invalid duration \"99999999999h\""),
        ] {
            let why = format!("invalid timeout specified in the request URL - time: {why}");
            assert_eq!(deadline_problem(bad), Some(why));
        }
    }
}
