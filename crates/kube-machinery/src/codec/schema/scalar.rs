//! Normalizes numbers, quantities and times: `1.0` becomes `1`, `1024Mi` becomes `1Gi`. A Go server decodes them into
//! types and prints them again, so clients see this form.

use jiff::Timestamp;

use crate::conventions::quantity::Quantity;
use crate::value::{Number, Value};

/// Returns a number as Go writes it after it was a `float64`: 1 and not 1.0.
#[expect(clippy::cast_possible_truncation, reason = "the cast is for numbers that fit")]
pub(crate) fn float(number: &Number) -> Number {
    let Some(value) = number.as_f64() else { return number.clone() };
    // A float below 2^53, which is a little more than 9e15, is exact.
    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
    if is_whole { (value as i64).into() } else { Number::from_f64(value).unwrap_or_else(|| number.clone()) }
}

pub(super) fn is_integer(number: &Number, bits: u8) -> bool {
    number.as_i64().is_some_and(|number| bits == 64 || i32::try_from(number).is_ok())
}

/// Returns a quantity in canonical form, from a string or a number. As in Go, any other value is parsed as text,
/// which fails.
pub(super) fn quantity(value: &Value) -> Result<String, String> {
    let other = value.to_string();
    let quantity = Quantity::parse(value.as_str().unwrap_or(&other));
    quantity.map(|quantity| quantity.to_string()).map_err(|error| error.to_string())
}

/// Returns a time in RFC 3339 with whole seconds.
pub(super) fn time(text: &str) -> Result<String, String> {
    let time = parse_time(text, "2006-01-02T15:04:05Z07:00")?;
    Ok(Timestamp::from_second(time.as_second()).unwrap_or(time).to_string())
}

/// Returns a time in RFC 3339 with microseconds. As in Go, the fraction must have exactly six digits.
pub(super) fn micro_time(text: &str) -> Result<String, String> {
    const LAYOUT: &str = "2006-01-02T15:04:05.000000Z07:00";
    let time = parse_time(text, LAYOUT)?;
    let rest = text.get("2006-01-02T15:04:05".len()..).unwrap_or_default();
    let digits = rest.strip_prefix('.').map_or(0, |fraction| fraction.bytes().take_while(u8::is_ascii_digit).count());
    match digits {
        6 => Ok(format!("{time:.6}")),
        0..6 => Err(unparsed(text, LAYOUT, rest, ".000000")),
        _ => Err(unparsed(text, LAYOUT, &rest[".000000".len()..], "Z07:00")),
    }
}

/// Parses a time. The error is Go's, and shows the layout. A layout in Go is the time `2006-01-02T15:04:05` in the
/// expected form.
fn parse_time(text: &str, layout: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| unparsed(text, layout, text, "2006"))
}

/// Returns the error for a time whose part `rest` does not match a part of the layout.
fn unparsed(text: &str, layout: &str, rest: &str, part: &str) -> String {
    format!("parsing time {text:?} as {layout:?}: cannot parse {rest:?} as {part:?}")
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use crate::value::json;

    #[test]
    fn quantities_and_times_get_their_canonical_form() {
        let pod = json!({
            "metadata": {"creationTimestamp": "2023-05-01T12:00:00.9+02:00"},
            "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": 0.5, "memory": "1024Mi", "x": null}}}]},
        });
        let value = decode("Pod", pod).unwrap().value;
        assert_eq!(value["metadata"]["creationTimestamp"], "2023-05-01T10:00:00Z");
        let limits = json!({"cpu": "500m", "memory": "1Gi", "x": "0"});
        assert_eq!(value["spec"]["containers"][0]["resources"]["limits"], limits);
        let lease = json!({"spec": {"renewTime": "2023-05-01T12:00:00.123456+02:00"}});
        assert_eq!(decode("Lease", lease).unwrap().value["spec"]["renewTime"], "2023-05-01T10:00:00.123456Z");
    }

    #[test]
    fn a_time_with_microseconds_has_six_digits() {
        for (time, rest, part) in [
            ("2001-02-03T04:05:06Z", "Z", ".000000"),
            ("2001-02-03T04:05:06.12345Z", ".12345Z", ".000000"),
            ("2001-02-03T04:05:06.1234567Z", "7Z", "Z07:00"),
            ("x", "x", "2006"),
        ] {
            let refused = decode("Lease", json!({"spec": {"renewTime": time}})).unwrap_err();
            let expected = format!(
                "parsing time {time:?} as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse {rest:?} as {part:?}"
            );
            assert!(refused.ends_with(&expected), "{refused}");
        }
    }
}
