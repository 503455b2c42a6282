//! OpenWatch: a watch with time limits. A watch on a dead connection looks like a watch without changes; the limits
//! tell them apart. Upstream has no such limits, because HTTP/2 pings detect a dead connection there.

use std::pin::Pin;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::cache::lister_watcher::{ApiError, WatchEvent, WatchStream};

/// One watch, until the server ends it or the client gives it up.
pub(super) struct OpenWatch<T> {
    stream: WatchStream<T>,
    /// The time by which the server should have ended the watch; `None` if an `Instant` cannot express it.
    overdue: Option<Instant>,
    /// The longest allowed time without an event; `None` for no limit.
    silence: Option<Duration>,
    /// The time of the last event, or of the start.
    last_event: Instant,
    /// Fires at the earlier of the two limits or before it. An event does not reset the alarm, because that would cost
    /// time for each event; when the alarm fires too early, it is set again.
    alarm: Pin<Box<Sleep>>,
}

/// The time of the alarm if there is no limit.
const FAR: Duration = Duration::from_secs(365 * 86_400);

impl<T> OpenWatch<T> {
    /// Wraps a watch that the server should end within `limit`.
    pub fn new(stream: WatchStream<T>, limit: Duration) -> Self {
        let now = Instant::now();
        let overdue = now.checked_add(limit);
        let alarm = Box::pin(sleep_until(overdue.unwrap_or(now + FAR)));
        Self { stream, overdue, silence: None, last_event: now, alarm }
    }

    /// Sets the longest allowed time without an event, counted from now; `None` for no limit.
    pub fn limit_silence(&mut self, silence: Option<Duration>) {
        if self.silence != silence {
            self.silence = silence;
            self.last_event = Instant::now();
            self.set_alarm();
        }
    }

    /// Returns the next event, or `None` when the server has ended the watch. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ApiError::Silent`] or [`ApiError::Overdue`] if a limit has passed. The connection is probably dead, so the
    /// caller should drop the watch.
    pub async fn next(&mut self) -> Result<Option<WatchEvent<T>>, ApiError> {
        loop {
            tokio::select! {
                biased;
                event = self.stream.next() => {
                    self.last_event = Instant::now();
                    return Ok(event);
                }
                () = self.alarm.as_mut() => {
                    let now = Instant::now();
                    if let Some(silence) = self.silence.filter(|_| self.silent_at().is_some_and(|at| at <= now)) {
                        return Err(ApiError::Silent(silence));
                    }
                    if self.overdue.is_some_and(|at| at <= now) {
                        return Err(ApiError::Overdue);
                    }
                    self.set_alarm();
                }
            }
        }
    }

    /// Returns the time of the last event, or of the start.
    pub fn last_event(&self) -> Instant {
        self.last_event
    }

    /// Returns the time at which the watch will have been silent for too long, if silence is limited.
    fn silent_at(&self) -> Option<Instant> {
        self.last_event.checked_add(self.silence?)
    }

    fn set_alarm(&mut self) {
        let first = [self.silent_at(), self.overdue].into_iter().flatten().min();
        self.alarm.as_mut().reset(first.unwrap_or_else(|| Instant::now() + FAR));
    }
}

#[cfg(test)]
mod tests {
    use futures::channel::mpsc::unbounded;
    use futures::stream;
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn bookmark() -> WatchEvent<()> {
        WatchEvent::Bookmark { resource_version: "1".into(), initial_events_end: false }
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_watch_is_overdue_at_its_limit_and_silent_before_it_if_silence_is_limited() {
        let start = Instant::now();
        let mut watch = OpenWatch::<()>::new(stream::pending().boxed(), 60 * SECOND);
        assert!(matches!(watch.next().await, Err(ApiError::Overdue)));
        assert_eq!(start.elapsed().as_secs(), 60);

        let mut watch = OpenWatch::<()>::new(stream::pending().boxed(), 60 * SECOND);
        watch.limit_silence(Some(20 * SECOND));
        assert!(matches!(watch.next().await, Err(ApiError::Silent(limit)) if limit == 20 * SECOND));
        assert_eq!(start.elapsed().as_secs(), 80);
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_restarts_the_limit_of_silence_but_not_the_limit_of_the_whole_watch() {
        let start = Instant::now();
        let (sender, receiver) = unbounded();
        let mut watch = OpenWatch::new(receiver.boxed(), 60 * SECOND);
        watch.limit_silence(Some(20 * SECOND));
        tokio::spawn(async move {
            while sender.unbounded_send(bookmark()).is_ok() {
                sleep(15 * SECOND).await;
            }
        });
        let end = loop {
            match watch.next().await {
                Ok(_) => {}
                Err(end) => break end,
            }
        };
        assert!(matches!(end, ApiError::Overdue));
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_has_arrived_wins_over_a_passed_limit_and_huge_limits_do_not_overflow() {
        let mut watch = OpenWatch::new(stream::iter([bookmark()]).chain(stream::pending()).boxed(), SECOND);
        sleep(10 * SECOND).await;
        assert!(matches!(watch.next().await, Ok(Some(_))));
        assert!(matches!(watch.next().await, Err(ApiError::Overdue)));
        let mut watch = OpenWatch::new(stream::iter([bookmark()]).boxed(), Duration::MAX);
        watch.limit_silence(Some(Duration::MAX));
        assert!(matches!(watch.next().await, Ok(Some(_))));
        assert!(matches!(watch.next().await, Ok(None)));
    }
}
