//! Computes the times at which a CronJob's schedule asks for a Job: the latest one that is due, and the wait until the
//! next one. Such a time is called a start here. Starts that passed while no controller ran are missed: only the latest
//! of them still gets a Job. Upstream: `mostRecentScheduleTime` and `nextScheduleTimeDuration` in `utils.go`.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use kube_machinery::conventions::cron::Schedule;

/// The delay of each sync after the scheduled time, because clocks differ. Upstream: `nextScheduleDelta`.
const PADDING: Duration = Duration::from_millis(100);

/// The number of missed starts beyond which an Event warns about them.
const MANY: i64 = 100;

/// The schedule of a CronJob, and the times that decide which start is due.
#[derive(Clone, Copy, Debug)]
pub(super) struct DueTimes<'a> {
    pub(super) schedule: &'a Schedule,
    pub(super) zone: &'a TimeZone,
    /// The time of the last start, or of the CronJob's creation.
    pub(super) since: Timestamp,
    pub(super) now: Timestamp,
}

/// The latest start that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// `None` if no start is due.
    pub(super) at: Option<Timestamp>,
    /// True if more than one start has passed since the last one that got a Job.
    missed: bool,
    /// True if more than `MANY` starts have passed since then, estimated from the first interval between two starts.
    pub(super) missed_many: bool,
}

/// The error for a schedule without distinct times, such as one for a day that never comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NeverDue;

impl DueTimes<'_> {
    fn next_after(&self, time: Timestamp) -> Option<Timestamp> {
        self.schedule.next(time, self.zone)
    }

    /// Returns the latest start that is due. Starts up to `deadline`, which is `startingDeadlineSeconds` ago, are too
    /// late and do not count.
    pub(super) fn due(&self, deadline: Option<Timestamp>) -> Result<Due, NeverDue> {
        let since = deadline.map_or(self.since, |deadline| deadline.max(self.since));
        let first = self.next_after(since).ok_or(NeverDue)?;
        let nothing = Due { at: None, missed: false, missed_many: false };
        if self.now < first {
            return Ok(nothing);
        }
        let Some(second) = self.next_after(first) else { return Ok(Due { at: Some(first), ..nothing }) };
        if self.now < second {
            return Ok(Due { at: Some(first), ..nothing });
        }
        let period = second.duration_since(first).as_secs();
        if period < 1 {
            return Err(NeverDue);
        }
        let missed = self.now.duration_since(first).as_secs() / period + 1;
        // Skip most of the missed starts, because there may be very many; but begin the search a period early, because
        // periods differ in length.
        let near = first.checked_add(SignedDuration::from_secs((missed - 2) * period)).unwrap_or(first);
        let mut at = None;
        let mut next = self.next_after(near);
        while let Some(time) = next.filter(|time| *time <= self.now) {
            at = Some(time);
            next = self.next_after(time);
        }
        Ok(Due { at, missed: true, missed_many: missed > MANY })
    }

    /// Returns the time until the next start, plus [`PADDING`]. The next start is the first one after the start that is
    /// due, or after `since` if none is due. Returns `None` if no start follows.
    pub(super) fn time_to_next(&self) -> Option<Duration> {
        let last = match self.due(None) {
            Ok(Due { at: Some(at), .. }) => at,
            Ok(Due { missed: false, .. }) => self.since,
            Ok(_) | Err(NeverDue) => self.now, // as upstream: after missed starts, count from now
        };
        let left = self.next_after(last)?.duration_since(self.now);
        Some(Duration::try_from(left).unwrap_or_default() + PADDING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::conventions::cron;

    /// Returns the start that is due, whether many starts were missed, and the wait until the next start.
    fn due(schedule: &str, since: &str, now: &str, deadline: Option<&str>) -> (Option<String>, bool, Option<Duration>) {
        let (schedule, zone) = (cron::parse(schedule).unwrap(), TimeZone::UTC);
        let time = |text: &str| text.parse().unwrap();
        let times = DueTimes { schedule: &schedule, zone: &zone, since: time(since), now: time(now) };
        let due = times.due(deadline.map(time)).unwrap();
        (due.at.map(|at| at.to_string()), due.missed_many, times.time_to_next())
    }

    #[test]
    fn the_last_start_is_due_however_many_were_missed() {
        let some = |text: &str| Some(text.to_owned());
        let (hourly, since) = ("0 * * * *", "2023-05-01T10:20:00Z");
        let in_a_minute = Some(Duration::from_millis(60_100));
        let at = |now: &str| due(hourly, since, now, None);
        assert_eq!(at("2023-05-01T10:59:00Z"), (None, false, in_a_minute));
        assert_eq!(at("2023-05-01T11:59:00Z"), (some("2023-05-01T11:00:00Z"), false, in_a_minute));
        assert_eq!(at("2023-05-01T15:59:00Z"), (some("2023-05-01T15:00:00Z"), false, in_a_minute));
        assert_eq!(at("2023-05-20T15:59:00Z"), (some("2023-05-20T15:00:00Z"), true, in_a_minute));
        let uneven = due("30 6-16/4 * * 1-5", "2023-05-05T12:00:00Z", "2023-05-08T08:00:00Z", None);
        assert_eq!(uneven.0, some("2023-05-08T06:30:00Z"), "a weekend lies between");
        let late = due(hourly, since, "2023-05-01T15:59:00Z", Some("2023-05-01T15:30:00Z"));
        assert_eq!(late.0, None, "the deadline of every start is over");
    }
}
