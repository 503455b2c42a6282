//! Reads fields that are either a number or a percentage, `3` or `25%`, such as `maxSurge` and `maxUnavailable`.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    Up,
    Down,
}

/// Returns the number itself, or the percentage of `total`, rounded. Upstream: `GetScaledValueFromIntOrPercent`.
pub(crate) fn scaled(value: &Value, total: i64, rounding: Rounding) -> i64 {
    match value {
        Value::String(text) => {
            let percent: i64 = text.trim_end_matches('%').parse().unwrap_or_default();
            let more = if rounding == Rounding::Up { 99 } else { 0 };
            percent.saturating_mul(total).saturating_add(more) / 100
        }
        number => number.as_i64().unwrap_or_default(),
    }
}
