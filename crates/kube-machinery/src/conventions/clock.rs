//! The cluster's clock.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

/// The wall clock at the start plus tokio's elapsed time, so that pausing tokio's clock also pauses the timestamps of
/// objects.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Timestamp,
    origin: Instant,
}

impl Clock {
    pub fn starting_at(start: Timestamp) -> Self {
        Self { start, origin: Instant::now() }
    }

    /// When the server started.
    pub fn started(&self) -> Timestamp {
        self.start
    }

    /// Now, as RFC 3339 in whole seconds, which is how Kubernetes writes times.
    pub fn now(&self) -> String {
        self.after(Duration::ZERO)
    }

    /// Now.
    pub fn time(&self) -> Timestamp {
        self.start.checked_add(self.origin.elapsed()).unwrap_or(Timestamp::MAX)
    }

    /// This much later than now.
    pub fn after(&self, delay: Duration) -> String {
        let later = self.start.as_second().saturating_add_unsigned((self.origin.elapsed() + delay).as_secs());
        seconds(later)
    }
}

/// The given time, moved by whole seconds; a text that is not a time is returned unchanged.
pub fn shifted(time: &str, by: i64) -> String {
    time.parse::<Timestamp>().map_or_else(|_| time.to_owned(), |t| seconds(t.as_second().saturating_add(by)))
}

fn seconds(unix: i64) -> String {
    Timestamp::from_second(unix).unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_goes_on_with_tokio() {
        let clock = Clock::starting_at("2023-05-01T10:00:00Z".parse().unwrap());
        tokio::time::sleep(Duration::from_millis(61_500)).await;
        assert_eq!(clock.now(), "2023-05-01T10:01:01Z");
        assert_eq!(clock.after(Duration::from_secs(30)), "2023-05-01T10:01:31Z");
        assert_eq!(shifted("2023-05-01T10:00:30Z", -25), "2023-05-01T10:00:05Z");
    }
}
