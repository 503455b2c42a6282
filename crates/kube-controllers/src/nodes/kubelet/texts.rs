//! Replaces variables such as `$podIP` in the texts of stages, which are the YAML scripts that the kubelet runs for
//! each pod.

use std::time::Duration;

use kube_machinery::value::Value;

/// The names of the variables, without their `$`, and their values.
pub(super) type Names<'a> = [(&'a str, &'a str)];

/// Replaces the variables in every string of a value.
pub(super) fn fill_in(value: &mut Value, names: &Names<'_>) {
    match value {
        Value::String(text) if text.contains('$') => *text = filled(text, names).into(),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, names)),
        Value::Object(fields) => fields.values_mut().for_each(|field| fill_in(field, names)),
        _ => {}
    }
}

/// Replaces the variables in a text. The longest matching name wins, and a replaced value is not searched again.
pub(super) fn filled(text: &str, names: &Names<'_>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let known = names.iter().filter(|(name, _)| rest.starts_with(name)).max_by_key(|(name, _)| name.len());
        match known {
            Some((name, meaning)) => {
                filled.push_str(meaning);
                rest = &rest[name.len()..];
            }
            None => filled.push('$'),
        }
    }
    filled + rest
}

/// Formats a duration as Go does: `500ms`, `10s`, `2m40s`, `5m0s`. From a minute on, fractions of a second are left
/// out.
pub(super) fn go_duration(duration: Duration) -> String {
    let (minutes, seconds) = (duration.as_secs() / 60, duration.as_secs() % 60);
    match (minutes, seconds, duration.subsec_millis()) {
        (0, 0, 0) => "0s".to_owned(),
        (0, 0, millis) => format!("{millis}ms"),
        (0, seconds, 0) => format!("{seconds}s"),
        (0, _, _) => format!("{}s", duration.as_secs_f64()),
        (minutes @ 1..60, seconds, _) => format!("{minutes}m{seconds}s"),
        (minutes, seconds, _) => format!("{}h{}m{seconds}s", minutes / 60, minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_matching_name_wins_and_unknown_names_stay() {
        let names = [("pod", "web"), ("podIP", "10.0.0.1"), ("uid", "$pod")];
        assert_eq!(filled("$pod_x($uid) at $podIP costs 5$", &names), "web_x($pod) at 10.0.0.1 costs 5$");
    }

    #[test]
    fn durations_are_written_as_go_writes_them() {
        let written =
            [500, 10_000, 1_500, 160_000, 300_000, 7_260_000].map(|ms| go_duration(Duration::from_millis(ms)));
        assert_eq!(written, ["500ms", "10s", "1.5s", "2m40s", "5m0s", "2h1m0s"]);
    }
}
