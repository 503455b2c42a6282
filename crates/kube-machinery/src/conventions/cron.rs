//! Parses the schedules of cron jobs, such as `*/5 * * * *`, and computes when they are due.
//!
//! Upstream: `github.com/robfig/cron/v3`, with which kube-apiserver parses schedules and kube-controller-manager
//! computes times.

mod field;

use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};

use self::field::{Bounds, DAYS, HOURS, MINUTES, MONTHS, WEEKDAYS};
use super::go_duration::duration;
use super::time_zone::time_zone;

#[derive(Clone, Debug)]
pub enum Schedule {
    /// `@every`: an interval after the last time, in whole seconds, at least one.
    Every(Duration),
    Cron(Cron),
}

/// The fields of a schedule. Each has a bit for every value, and `field::STAR` if it was not restricted.
#[derive(Clone, Debug)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// The time zone in the schedule itself, which older cron jobs may have.
    zone: Option<TimeZone>,
}

/// Parses a schedule.
///
/// # Errors
/// Upstream's message.
pub fn parse(text: &str) -> Result<Schedule, String> {
    if text.is_empty() {
        return Err("empty spec string".to_owned());
    }
    let (zone, rest) = zone_before(text)?;
    if rest.starts_with('@') {
        return described(rest, zone);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let [minutes, hours, days, months, weekdays] = fields[..] else {
        let shown = fields.join(" ");
        return Err(format!("expected exactly 5 fields, found {}: [{shown}]", fields.len()));
    };
    Ok(Schedule::Cron(Cron {
        minutes: field::parse(minutes, &MINUTES)?,
        hours: field::parse(hours, &HOURS)?,
        days: field::parse(days, &DAYS)?,
        months: field::parse(months, &MONTHS)?,
        weekdays: field::parse(weekdays, &WEEKDAYS)?,
        zone,
    }))
}

/// Reads a time zone before the fields: `TZ=NAME` or `CRON_TZ=NAME`. Returns the zone and the rest.
fn zone_before(text: &str) -> Result<(Option<TimeZone>, &str), String> {
    let Some(rest) = text.strip_prefix("TZ=").or_else(|| text.strip_prefix("CRON_TZ=")) else {
        return Ok((None, text));
    };
    // Upstream panics here, and reports its panic as the error.
    let panic = "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    let (name, rest) = rest.split_once(' ').ok_or(panic)?;
    let found = time_zone(name).ok_or_else(|| format!("provided bad location {name}: unknown time zone {name}"))?;
    Ok((Some(found), rest.trim()))
}

/// Parses a descriptor such as `@daily`. Upstream: `parseDescriptor`.
fn described(text: &str, zone: Option<TimeZone>) -> Result<Schedule, String> {
    let first = |bounds: &Bounds| 1 << bounds.least;
    let daily = Cron {
        minutes: first(&MINUTES),
        hours: first(&HOURS),
        days: field::all(&DAYS),
        months: field::all(&MONTHS),
        weekdays: field::all(&WEEKDAYS),
        zone,
    };
    Ok(Schedule::Cron(match text {
        "@yearly" | "@annually" => Cron { days: first(&DAYS), months: first(&MONTHS), ..daily },
        "@monthly" => Cron { days: first(&DAYS), ..daily },
        "@weekly" => Cron { weekdays: first(&WEEKDAYS), ..daily },
        "@daily" | "@midnight" => daily,
        "@hourly" => Cron { hours: field::all(&HOURS), ..daily },
        _ => {
            let every = text.strip_prefix("@every ").ok_or_else(|| format!("unrecognized descriptor: {text}"))?;
            let nanoseconds = duration(every).map_err(|why| format!("failed to parse duration {text}: time: {why}"))?;
            let seconds = u64::try_from(nanoseconds / 1_000_000_000).unwrap_or_default();
            return Ok(Schedule::Every(Duration::from_secs(seconds.max(1))));
        }
    }))
}

impl Schedule {
    /// Returns the first time after another one, in a time zone; `None` if there is none within five years.
    pub fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Every(length) => Timestamp::from_second(after.as_second()).ok()?.checked_add(*length).ok(),
            Self::Cron(cron) => cron.next(after, cron.zone.as_ref().unwrap_or(zone)),
        }
    }
}

impl Cron {
    /// Returns the first time that fits after another one. Each step advances the largest unit that does not fit, until
    /// all units fit.
    fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let start = Timestamp::from_second(after.as_second() + 1).ok()?.to_zoned(zone.clone());
        let last = start.year().checked_add(5)?;
        let mut time = start;
        if time.second() > 0 {
            time = later(&time, (60 - i64::from(time.second())).seconds())?;
        }
        loop {
            if time.year() > last {
                return None;
            }
            let moved = if !has(self.months, time.month()) {
                midnight(&time.first_of_month().ok()?, 1.month())?
            } else if !self.is_on(&time) {
                midnight(&time, 1.day())?
            } else if !has(self.hours, time.hour()) {
                later(&time, (60 - i64::from(time.minute())).minutes())?
            } else if !has(self.minutes, time.minute()) {
                later(&time, 1.minute())?
            } else {
                return Some(time.timestamp());
            };
            time = moved;
        }
    }

    /// Returns true if the day fits: both fields of days if one of them is unrestricted, otherwise either.
    fn is_on(&self, time: &Zoned) -> bool {
        let day = has(self.days, time.day());
        let weekday = has(self.weekdays, time.weekday().to_sunday_zero_offset());
        if (self.days | self.weekdays) & field::STAR > 0 { day && weekday } else { day || weekday }
    }
}

fn has(bits: u64, value: i8) -> bool {
    bits & (1 << value) > 0
}

fn later(time: &Zoned, by: Span) -> Option<Zoned> {
    time.checked_add(by).ok()
}

/// Returns the beginning of a later day. A day without a midnight begins with its first hour.
fn midnight(time: &Zoned, by: Span) -> Option<Zoned> {
    let date = time.date().checked_add(by).ok()?;
    date.to_datetime(Time::midnight()).to_zoned(time.time_zone().clone()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first three times of the schedule.
    fn times(schedule: &str, zone: &str, after: &str) -> Vec<String> {
        let (schedule, zone) = (parse(schedule).unwrap(), super::time_zone(zone).unwrap());
        let mut at: Timestamp = after.parse().unwrap();
        let mut found = Vec::new();
        while let Some(next) = schedule.next(at, &zone).filter(|_| found.len() < 3) {
            found.push(next.to_string());
            at = next;
        }
        found
    }

    #[test]
    fn a_schedule_has_the_expected_times() {
        let after = "2023-05-01T10:00:30Z";
        for (schedule, expected) in [
            ("* * * * *", ["2023-05-01T10:01:00Z", "2023-05-01T10:02:00Z", "2023-05-01T10:03:00Z"]),
            ("*/25 9-10 * * *", ["2023-05-01T10:25:00Z", "2023-05-01T10:50:00Z", "2023-05-02T09:00:00Z"]),
            ("0 0 31 * *", ["2023-05-31T00:00:00Z", "2023-07-31T00:00:00Z", "2023-08-31T00:00:00Z"]),
            ("0 0 29 2 *", ["2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
            ("0 12 1 * MON", ["2023-05-01T12:00:00Z", "2023-05-08T12:00:00Z", "2023-05-15T12:00:00Z"]),
            ("0 12 */1 jan MON", ["2024-01-01T12:00:00Z", "2024-01-08T12:00:00Z", "2024-01-15T12:00:00Z"]),
            ("@every 90s", ["2023-05-01T10:02:00Z", "2023-05-01T10:03:30Z", "2023-05-01T10:05:00Z"]),
            ("@weekly", ["2023-05-07T00:00:00Z", "2023-05-14T00:00:00Z", "2023-05-21T00:00:00Z"]),
        ] {
            assert_eq!(times(schedule, "UTC", after), expected, "{schedule}");
        }
        assert_eq!(times("0 0 30 2 *", "UTC", after), [""; 0], "there is no such day");
        assert_eq!(times(", * * * *", "UTC", after), [""; 0], "there is no such minute");
    }

    #[test]
    fn a_schedule_in_a_time_zone_follows_daylight_saving_time() {
        let expected = ["2023-03-25T01:30:00Z", "2023-03-27T00:30:00Z", "2023-03-28T00:30:00Z"];
        assert_eq!(
            times("30 2 * * *", "Europe/Berlin", "2023-03-25T00:00:00Z"),
            expected,
            "one night has no hour from 2 to 3"
        );
        let hourly = ["2023-10-29T00:00:00Z", "2023-10-29T01:00:00Z", "2023-10-29T02:00:00Z"];
        assert_eq!(times("0 * * * *", "Europe/Berlin", "2023-10-28T23:30:00Z"), hourly, "one night has an hour twice");
        assert_eq!(times("TZ=Asia/Shanghai 0 8 * * *", "UTC", "2023-05-01T00:00:00Z")[0], "2023-05-02T00:00:00Z");
    }
}
