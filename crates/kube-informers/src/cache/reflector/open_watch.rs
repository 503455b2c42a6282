//! OpenWatch: one watch, and how long the client waits for it. Upstream has no such limits: there, HTTP/2 pings find a dead
//! connection.

use std::pin::Pin;
use std::time::Duration;

use futures::StreamExt;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::cache::lister_watcher::{ApiError, WatchEvent, WatchStream};

/// The events of one watch, until the server ends it or the client gives it up.
pub(super) struct OpenWatch<T> {
    stream: WatchStream<T>,
    /// The server should have ended the watch before this; nothing if it is too far away.
    overdue: Option<Instant>,
    /// How long nothing may come; nothing while there is no limit.
    silence: Option<Duration>,
    last_event: Instant,
    /// Goes off at the first of the limits, or before it: an event does not set it anew.
    alarm: Pin<Box<Sleep>>,
}

/// An alarm that nobody waits for is set this far away.
const FAR: Duration = Duration::from_secs(365 * 86_400);

impl<T> OpenWatch<T> {
    /// A watch that the server ends within `limit`.
    pub fn new(stream: WatchStream<T>, limit: Duration) -> Self {
        let now = Instant::now();
        let overdue = now.checked_add(limit);
        let alarm = Box::pin(sleep_until(overdue.unwrap_or(now + FAR)));
        Self { stream, overdue, silence: None, last_event: now, alarm }
    }

    /// From now on, nothing may come for this long, or for as long as the server wishes.
    pub fn limit_silence(&mut self, silence: Option<Duration>) {
        if self.silence != silence {
            self.silence = silence;
            self.last_event = Instant::now();
            self.set_alarm();
        }
    }

    /// The next event, or nothing when the server has ended the watch. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`ApiError::Silent`] and [`ApiError::Overdue`]: the connection is probably dead, so the watch is to be dropped.
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

    /// When did the last event come, or the watch begin?
    pub fn last_event(&self) -> Instant {
        self.last_event
    }

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
    async fn every_event_prolongs_the_silence_that_is_allowed_and_none_the_limit() {
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
    async fn what_has_come_is_given_before_the_limit_counts_and_no_limit_is_too_long() {
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
