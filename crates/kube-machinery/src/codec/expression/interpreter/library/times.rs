//! The CEL functions of timestamps and durations. CEL's times go to the end of the year 9999, beyond the range of the
//! crate jiff, so days are computed here. Upstream: cel-go's `common/types/timestamp.go` and `duration.go`.

use std::fmt;

use cel::common::ast::operators;

use super::super::Error;
use super::{Outcome, Value};
use crate::codec::expression::value::Timestamp;
use crate::conventions::go_duration::{digits, duration};
use crate::conventions::quote::quote;
use crate::conventions::time_zone::time_zone;

pub(super) const DURATION: &str = "google.protobuf.Duration";
pub(super) const TIMESTAMP: &str = "google.protobuf.Timestamp";

/// A second, in nanoseconds.
const A_SECOND: i64 = 1_000_000_000;
/// A day, in seconds.
const A_DAY: i64 = 86_400;
/// The last second of the year 9999, in Unix time.
const END: i64 = 253_402_300_799;

pub(super) fn to_duration(arg: &Value) -> Option<Outcome> {
    Some(Ok(Value::Duration(match arg {
        Value::Duration(nanoseconds) => *nanoseconds,
        Value::String(text) => duration(text).ok()?,
        _ => return None,
    })))
}

pub(super) fn to_timestamp(arg: &Value) -> Option<Outcome> {
    let at = match arg {
        Value::Timestamp(at) => *at,
        Value::Int(seconds) => Timestamp { seconds: *seconds, nanoseconds: 0, offset: 0 },
        Value::String(text) => parsed(text)?,
        _ => return None,
    };
    Some(in_range(at))
}

fn timestamp_overflow() -> Error {
    Error::failed("timestamp overflow")
}

fn in_range(at: Timestamp) -> Outcome {
    let fits = (Timestamp::YEAR_ONE..=END).contains(&at.seconds);
    if fits { Ok(Value::Timestamp(at)) } else { Err(timestamp_overflow()) }
}

/// Parses a timestamp as Go's `time.Parse` reads RFC 3339: `2006-01-02T15:04:05Z`.
pub(crate) fn timestamp(text: &str) -> Option<Value> {
    in_range(parsed(text)?).ok()
}

fn parsed(text: &str) -> Option<Timestamp> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let signs = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if signs.iter().any(|(at, sign)| text.as_bytes().get(*at) != Some(sign)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let days = [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let most = usize::try_from(month).ok().and_then(|month| days.get(month.checked_sub(1)?))?;
    if !(1..=*most).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    // A point without digits is an error.
    if fraction.is_empty() != (zone.len() == rest.len()) {
        return None;
    }
    let nanoseconds = format!("{fraction:0<9}")[..9].parse().ok()?;
    let offset = zone_offset(zone)?;
    let seconds = days_of(year, month, day) * A_DAY + hour * 3600 + minute * 60 + second - i64::from(offset);
    Some(Timestamp { seconds, nanoseconds, offset })
}

/// Returns the offset of a zone in seconds: `Z`, `+07:00`.
fn zone_offset(zone: &str) -> Option<i32> {
    if zone == "Z" {
        return Some(0);
    }
    let sign = match zone.as_bytes() {
        [b'+', _, _, b':', _, _] => 1,
        [b'-', _, _, b':', _, _] => -1,
        _ => return None,
    };
    let (hours, minutes) = (zone.get(1..3)?, zone.get(4..6)?);
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(hours) || !is_number(minutes) {
        return None;
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of days from 1970-01-01 to a day. Years begin in March here, so that the leap day is the last,
/// and are counted in cycles of 400 years, after which the calendar repeats. The formula with 153 counts the days of
/// the months, whose lengths repeat after five months; 719,468 days lie between 0000-03-01 and 1970-01-01.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    cycle * 146_097 + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - 719_468
}

/// Returns the year, month and day that is this many days after 1970-01-01: the inverse of [`days_of`].
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (cycle, of_cycle) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * years + years / 4 - years / 100);
    let months = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * months + 2) / 5 + 1, if months < 10 { months + 3 } else { months - 9 });
    (cycle * 400 + years + i64::from(month <= 2), month, day)
}

impl Timestamp {
    /// Returns the instant without the zone, which timestamps are compared by.
    pub(in super::super) fn point(self) -> (i64, u32) {
        (self.seconds, self.nanoseconds)
    }

    /// Returns the seconds since 1970 in the timestamp's own zone.
    fn local(self) -> i64 {
        self.seconds + i64::from(self.offset)
    }

    fn nanoseconds_since_1970(self) -> i128 {
        i128::from(self.seconds) * i128::from(A_SECOND) + i128::from(self.nanoseconds)
    }

    fn plus_nanoseconds(self, nanoseconds: i128) -> Outcome {
        let all = self.nanoseconds_since_1970() + nanoseconds;
        let seconds = i64::try_from(all.div_euclid(A_SECOND.into())).map_err(|_| timestamp_overflow())?;
        let nanoseconds = u32::try_from(all.rem_euclid(A_SECOND.into())).unwrap_or_default();
        in_range(Self { seconds, nanoseconds, ..self })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (local, (year, month, day)) = (self.local(), date_of(self.local().div_euclid(A_DAY)));
        let second = local.rem_euclid(A_DAY);
        write!(f, "{year:04}-{month:02}-{day:02}T")?;
        write!(f, "{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)?;
        if self.nanoseconds > 0 {
            let fraction = format!("{:09}", self.nanoseconds);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        if self.offset == 0 {
            return f.write_str("Z");
        }
        let (sign, minutes) = (if self.offset < 0 { '-' } else { '+' }, self.offset.abs() / 60);
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Returns a duration in seconds, as text: `90s`, `1.5s`.
#[expect(clippy::cast_precision_loss, reason = "as in Go")]
pub(super) fn seconds(nanoseconds: i64) -> String {
    let (whole, rest) = (nanoseconds / A_SECOND, nanoseconds % A_SECOND);
    format!("{}s", whole as f64 + rest as f64 / 1e9)
}

pub(in super::super) fn arithmetic(operator: &str, one: &Value, other: &Value) -> Outcome {
    let checked = |sum: Option<i64>| sum.map(Value::Duration).ok_or_else(|| Error::failed("integer overflow"));
    match (operator, one, other) {
        (operators::ADD, Value::Duration(one), Value::Duration(other)) => checked(one.checked_add(*other)),
        (operators::SUBSTRACT, Value::Duration(one), Value::Duration(other)) => checked(one.checked_sub(*other)),
        (operators::ADD, Value::Timestamp(at), Value::Duration(by))
        | (operators::ADD, Value::Duration(by), Value::Timestamp(at)) => at.plus_nanoseconds((*by).into()),
        (operators::SUBSTRACT, Value::Timestamp(at), Value::Duration(by)) => at.plus_nanoseconds(-i128::from(*by)),
        (operators::SUBSTRACT, Value::Timestamp(one), Value::Timestamp(other)) => {
            checked(i64::try_from(one.nanoseconds_since_1970() - other.nanoseconds_since_1970()).ok())
        }
        (operators::ADD | operators::SUBSTRACT, ..) => Err(Error::no_such_overload()),
        _ => Err(Error::failed(format!("no such overload: {operator}"))),
    }
}

/// Calls the functions that return a part of a timestamp or a duration, such as `getHours`.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match args {
        [Value::Duration(nanoseconds)] => {
            let unit = match name {
                "getHours" => 3600 * A_SECOND,
                "getMinutes" => 60 * A_SECOND,
                "getSeconds" => A_SECOND,
                "getMilliseconds" => 1_000_000,
                _ => return None,
            };
            Some(Ok(Value::Int(nanoseconds / unit)))
        }
        // Without an argument the parts are in UTC, whatever zone the timestamp was written in.
        [Value::Timestamp(at)] => part_of(name, Timestamp { offset: 0, ..*at }).map(|part| Ok(Value::Int(part))),
        [Value::Timestamp(at), Value::String(zone)] if name.starts_with("get") => {
            Some(offset_in(zone, at.seconds).and_then(|offset| {
                let part = part_of(name, Timestamp { offset, ..*at });
                part.map(Value::Int).ok_or_else(Error::no_such_overload)
            }))
        }
        _ => None,
    }
}

/// Returns a part of a timestamp in its own zone. As upstream, months and days begin at 0, but `getDate` at 1.
fn part_of(name: &str, at: Timestamp) -> Option<i64> {
    let (days, second) = (at.local().div_euclid(A_DAY), at.local().rem_euclid(A_DAY));
    let (year, month, day) = date_of(days);
    Some(match name {
        "getFullYear" => year,
        "getMonth" => month - 1,
        "getDate" => day,
        "getDayOfMonth" => day - 1,
        "getDayOfWeek" => (days + 4).rem_euclid(7), // 1970-01-01 was a Thursday
        "getDayOfYear" => days - days_of(year, 1, 1),
        "getHours" => second / 3600,
        "getMinutes" => second / 60 % 60,
        "getSeconds" => second % 60,
        "getMilliseconds" => i64::from(at.nanoseconds / 1_000_000),
        _ => return None,
    })
}

/// Returns the offset of a zone from UTC at this time, in seconds. The zone is an offset (`-05:00`) or a name.
fn offset_in(zone: &str, at: i64) -> Result<i32, Error> {
    let Some((hours, minutes)) = zone.split_once(':') else { return offset_of_named(zone, at) };
    let number = |text: &str| {
        let wrong = |_| Error::failed(format!("strconv.Atoi: parsing {}: invalid syntax", quote(text)));
        text.parse::<i32>().map_err(wrong)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    if !(0..60).contains(&minutes) {
        return Err(Error::failed(format!("timezone offset minutes out of range [0, 59]: {zone}")));
    }
    let minutes = if zone.starts_with('-') { -minutes } else { minutes };
    Ok(hours.saturating_mul(60).saturating_add(minutes).saturating_mul(60))
}

fn offset_of_named(zone: &str, at: i64) -> Result<i32, Error> {
    if zone.is_empty() {
        return Ok(0);
    }
    let found = time_zone(zone).ok_or_else(|| Error::failed(format!("unknown time zone {zone}")))?;
    // jiff's range ends some hours before that of CEL; times after it use the offset of jiff's last second.
    let (least, most) = (jiff::Timestamp::MIN.as_second(), jiff::Timestamp::MAX.as_second());
    let at = jiff::Timestamp::from_second(at.clamp(least, most)).map_err(|_| timestamp_overflow())?;
    Ok(found.to_offset(at).seconds())
}
