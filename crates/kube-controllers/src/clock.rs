//! The cluster's clock, from which all times in objects come. It follows tokio's clock, so that tests can pause and
//! advance it.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use tokio::time::Instant;

/// The wall clock at the start plus tokio's elapsed time. If a test pauses tokio's clock, the timestamps of objects
/// stand still too.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Timestamp,
    origin: Instant,
}

impl Clock {
    /// Creates a clock that starts at the system's time, or at `Timestamp::MAX` if a `Timestamp` cannot hold that time.
    pub fn starting_now() -> Self {
        Self::starting_at_system_time(SystemTime::now())
    }

    fn starting_at_system_time(time: SystemTime) -> Self {
        Self::starting_at(Timestamp::try_from(time).unwrap_or(Timestamp::MAX))
    }

    /// Creates a clock that shows `start` now.
    pub fn starting_at(start: Timestamp) -> Self {
        Self { start, origin: Instant::now() }
    }

    /// Returns the time at which the clock was created.
    pub fn started(&self) -> Timestamp {
        self.start
    }

    /// Returns the current time in RFC 3339 with whole seconds, as Kubernetes writes times.
    pub fn now(&self) -> String {
        self.after(Duration::ZERO)
    }

    /// Returns the current time in RFC 3339 with microseconds, as Kubernetes writes a `MicroTime`.
    pub fn now_micro(&self) -> String {
        self.time().strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
    }

    /// Returns the current time.
    pub fn time(&self) -> Timestamp {
        self.start.checked_add(self.origin.elapsed()).unwrap_or(Timestamp::MAX)
    }

    /// Returns the time that comes `delay` from now, in the form of [`now`](Self::now).
    pub fn after(&self, delay: Duration) -> String {
        let later = self.start.checked_add(self.origin.elapsed().saturating_add(delay)).unwrap_or(Timestamp::MAX);
        rfc3339(later.as_second())
    }
}

/// Moves an RFC 3339 time by `by` seconds, and drops its fraction. A text that is not a time is returned unchanged.
pub fn shifted(time: &str, by: i64) -> String {
    time.parse::<Timestamp>().map_or_else(|_| time.to_owned(), |t| rfc3339(t.as_second().saturating_add(by)))
}

fn rfc3339(unix_seconds: i64) -> String {
    let last = Timestamp::MAX.as_second();
    Timestamp::from_second(unix_seconds.min(last)).unwrap_or(Timestamp::MIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_follows_tokios_clock() {
        let clock = Clock::starting_at("2023-05-01T10:00:00Z".parse().unwrap());
        tokio::time::sleep(Duration::from_millis(61_500)).await;
        assert_eq!(clock.now(), "2023-05-01T10:01:01Z");
        assert_eq!(clock.now_micro(), "2023-05-01T10:01:01.500000Z");
        assert_eq!(clock.after(Duration::from_secs(30)), "2023-05-01T10:01:31Z");
        assert_eq!(shifted("2023-05-01T10:00:30Z", -25), "2023-05-01T10:00:05Z");
        let within_a_second = Clock::starting_at("2023-05-01T10:00:00.7Z".parse().unwrap());
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(
            (within_a_second.now(), within_a_second.time().as_second()),
            ("2023-05-01T10:00:01Z".to_owned(), 1_682_935_201)
        );
        let at_the_end = Clock::starting_at(Timestamp::MAX);
        assert_eq!(at_the_end.after(Duration::from_secs(30)), "9999-12-30T22:00:00Z");
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_beyond_the_year_9999_stands_at_the_last_time() {
        let in_the_year_12000 = SystemTime::UNIX_EPOCH + Duration::from_secs(316_516_000_000);
        let clock = Clock::starting_at_system_time(in_the_year_12000);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!((clock.started(), clock.time()), (Timestamp::MAX, Timestamp::MAX));
        assert_eq!(clock.now(), "9999-12-30T22:00:00Z");
    }
}
