//! Formats durations as kubectl prints them in the AGE column: `3s`, `5m10s`, `2d`. The longer the duration, the
//! coarser its unit. Upstream: `duration.HumanDuration` in `k8s.io/apimachinery`.

use jiff::Timestamp;

use crate::value::Value;

/// Returns the time from `time` until `now`, such as `3s`, `5m10s` or `2d`; `<unknown>` if `time` is missing. A time in
/// the future counts as `now`; upstream prints `<invalid>` for it.
pub(crate) fn age(time: &Value, now: Timestamp) -> String {
    let Some(then) = time.as_str().and_then(|text| text.parse::<Timestamp>().ok()) else { return "<unknown>".into() };
    human((now.as_second() - then.as_second()).max(0))
}

/// Formats a number of seconds.
pub(super) fn human(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    let two = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        small => format!("{large}{unit}{small}{small_unit}"),
    };
    match seconds {
        0..120 => format!("{seconds}s"),
        120..600 => two(minutes, "m", seconds % 60, "s"),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => two(hours, "h", minutes % 60, "m"),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => two(days, "d", hours % 24, "h"),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => two(days / 365, "y", days % 365, "d"),
        _ => format!("{}y", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn ages_are_formatted_as_kubectl_formats_them() {
        let then = json!("2023-05-01T10:00:00Z");
        let start: Timestamp = "2023-05-01T10:00:00Z".parse().unwrap();
        for (seconds, expected) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (130, "2m10s"),
            (700, "11m"),
            (11_100, "3h5m"),
            (90_000, "25h"),
            (180_000, "2d2h"),
        ] {
            let now = Timestamp::from_second(start.as_second() + seconds).unwrap();
            assert_eq!(age(&then, now), expected);
        }
        assert_eq!(age(&Value::Null, start), "<unknown>");
    }
}
