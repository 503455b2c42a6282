//! Times, durations and conversions where the crate differs from cel-go. Upstream: cel-go's `common/types`.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::library::{Target, of_the_crates};
use super::{Error, Outcome, Value};

/// `None` if the crate does it right.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    Some(match (name, args) {
        (part, [time @ Value::Timestamp(at), Value::String(zone)]) if part.starts_with("get") => {
            offset(zone, at.timestamp()).and_then(|offset| {
                let offset = of_the_crates("duration", &Target::None, &[text(format!("{offset}s"))])?;
                let local = (time.clone() + offset).map_err(|why| Error::failed(why.to_string()))?;
                of_the_crates(part, &Target::Value(local), &[])
            })
        }
        ("string", [Value::Timestamp(at)]) => {
            let nanoseconds = i32::try_from(at.timestamp_subsec_nanos()).unwrap_or_default();
            Timestamp::new(at.timestamp(), nanoseconds).map(|at| text(at.to_string())).map_err(out_of_range)
        }
        ("string", [Value::Duration(duration)]) => {
            let nanoseconds = duration.num_nanoseconds().unwrap_or(i64::MAX);
            Ok(text(format!("{}s", nanoseconds as f64 / 1e9)))
        }
        ("int", [Value::Timestamp(at)]) => Ok(Value::Int(at.timestamp())),
        ("timestamp", [Value::Int(seconds)]) => Timestamp::from_second(*seconds)
            .map_err(out_of_range)
            .and_then(|at| of_the_crates("timestamp", &Target::None, &[text(at.to_string())])),
        ("bool", [Value::Bool(value)]) => Ok(Value::Bool(*value)),
        ("bool", [Value::String(text)]) => match text.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(Error::failed("type conversion error from 'string' to 'bool'")),
        },
        _ => return None,
    })
}

fn text(text: String) -> Value {
    Value::String(Arc::new(text))
}

fn out_of_range(_: jiff::Error) -> Error {
    Error::failed("timestamp overflow")
}

/// How far a zone is from UTC at this time, in seconds: `-05:00`, or the name of a zone.
fn offset(zone: &str, at: i64) -> Result<i64, Error> {
    let unknown = || Error::failed(format!("unknown time zone {zone}"));
    if let Some((hours, minutes)) = zone.split_once(':') {
        let (hours, minutes) = (hours.parse::<i32>(), minutes.parse::<u8>());
        let (Ok(hours), Ok(minutes)) = (hours, minutes) else { return Err(unknown()) };
        let minutes = if zone.starts_with('-') { -i64::from(minutes) } else { i64::from(minutes) };
        return Ok(i64::from(hours) * 3600 + minutes * 60);
    }
    let zone = TimeZone::get(zone).map_err(|_| unknown())?;
    Timestamp::from_second(at).map(|at| zone.to_offset(at).seconds().into()).map_err(out_of_range)
}
