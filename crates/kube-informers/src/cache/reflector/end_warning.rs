//! EndWarning: logs a warning every ten seconds while a streaming list does not end, because until then the informer
//! has no objects and seems to hang. Upstream: `initialEventsEndBookmarkTicker` in `tools/cache/reflector.go`.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tracing::warn;

use super::open_watch::OpenWatch;
use crate::cache::lister_watcher::{ApiError, WatchEvent};

/// The time between two warnings.
const PERIOD: Duration = Duration::from_secs(10);

/// Waits for the events of one streaming list, including all attempts to open its watch again.
pub(super) struct EndWarning {
    /// The start of the streaming list.
    since: Instant,
    last_event: Option<Instant>,
    /// The time of the next warning.
    warn_at: Instant,
}

impl EndWarning {
    pub fn new() -> Self {
        let now = Instant::now();
        Self { since: now, last_event: None, warn_at: now + PERIOD }
    }

    /// Logs a warning in each period until the next event of the watch comes. Fails as [`OpenWatch::next`].
    pub async fn next<T>(&mut self, watch: &mut OpenWatch<T>, source: &str) -> Result<Option<WatchEvent<T>>, ApiError> {
        loop {
            tokio::select! {
                biased;
                event = watch.next() => {
                    self.last_event = Some(Instant::now());
                    return event;
                }
                () = sleep_until(self.warn_at) => {
                    self.warn_at = Instant::now() + PERIOD;
                    warn!("streaming list of {source}: {}", self.message());
                }
            }
        }
    }

    fn message(&self) -> String {
        let now = Instant::now();
        let events = match self.last_event {
            None => format!("no events for {:?}, since the start", now - self.since),
            Some(last) => format!("the last event was {:?} ago", now - last),
        };
        format!("the bookmark that ends the initial events has not come yet, {events}")
    }
}

#[cfg(test)]
mod tests {
    use futures::stream::{self, StreamExt};

    use super::*;
    use crate::cache::lister_watcher::WatchStream;

    #[tokio::test(start_paused = true)]
    async fn the_warning_distinguishes_a_stream_without_events_from_a_stream_that_stopped() {
        let mut end_warning = EndWarning::new();
        tokio::time::advance(PERIOD).await;
        assert!(end_warning.message().ends_with("no events for 10s, since the start"));

        let one = WatchEvent::Bookmark { resource_version: "7".into(), initial_events_end: false };
        let stream: WatchStream<()> = stream::iter([one]).chain(stream::pending()).boxed();
        let mut watch = OpenWatch::new(stream, Duration::MAX);
        assert!(matches!(end_warning.next(&mut watch, "pods").await, Ok(Some(_))));
        tokio::time::advance(2 * PERIOD).await;
        assert!(end_warning.message().ends_with("the last event was 20s ago"));
    }
}
