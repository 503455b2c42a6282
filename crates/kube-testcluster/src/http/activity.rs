//! Follows the requests and answers of one connection, and decides when the connection is of no use any more: its
//! client sends no request, or does not read an answer. Without these limits, silent clients would keep their
//! connections, and the memory of their answers, for ever. The limits hold for HTTP/1.1 and HTTP/2 alike, because they
//! concern requests and pieces of answers, and not bytes on the connection. A quiet watch is a request in progress, so
//! its connection stays.

mod followed_body;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use tokio::time::{Instant, sleep_until};

use super::deadline::{REQUEST_TIMEOUT, ReadWithin};

/// The longest time from the beginning of a connection to the head of its first request. Upstream: `ReadHeaderTimeout`.
pub(super) const FIRST_REQUEST_WITHIN: Duration = Duration::from_secs(32);

/// The longest time that a connection may be without a request. Upstream: `IdleTimeout`.
pub(super) const IDLE_FOR: Duration = Duration::from_secs(90);

/// The longest time that a client may take to read a piece of an answer. It limits the answers of watches, too, which
/// have no [`ReadWithin`].
pub(super) const READ_WITHIN: Duration = REQUEST_TIMEOUT;

/// The activity of one connection.
#[derive(Clone, Debug)]
pub(super) struct Activity(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The number of requests whose answers have not ended.
    requests: usize,
    /// The time at which the connection is closed if no request comes.
    idle_until: Instant,
    /// The pieces that the connection has and has not written yet, in order: the number of each, and the time at which
    /// the connection got it.
    unread: BTreeMap<u64, Instant>,
    next_piece: u64,
}

/// The reason why a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Idle,
    Unread,
}

impl Activity {
    /// Begins the wait for the first request.
    pub(super) fn begin() -> Self {
        let idle_until = Instant::now() + FIRST_REQUEST_WITHIN;
        Self(Arc::new(Mutex::new(State { requests: 0, idle_until, unread: BTreeMap::new(), next_piece: 0 })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the connection is of no use any more.
    pub(super) async fn over(&self) -> Over {
        loop {
            let (due, over) = self.state().due();
            if due <= Instant::now() {
                return over;
            }
            sleep_until(due).await;
        }
    }

    fn begin_request(&self) -> InProgress {
        self.state().requests += 1;
        InProgress(self.clone())
    }
}

impl State {
    /// Returns the next time at which the connection may be over, and the reason that holds then. A later piece, or the
    /// end of a request, cannot make that time earlier, because each begins a wait of its own.
    fn due(&self) -> (Instant, Over) {
        let unread = self.unread.first_key_value().map(|(_, since)| *since + READ_WITHIN);
        let idle = Some(self.idle_until).filter(|_| self.requests == 0);
        match (unread, idle) {
            (Some(unread), Some(idle)) if idle < unread => (idle, Over::Idle),
            (Some(unread), _) => (unread, Over::Unread),
            (None, Some(idle)) => (idle, Over::Idle),
            (None, None) => (Instant::now() + READ_WITHIN, Over::Unread), // nothing to wait for yet, so look again then
        }
    }
}

/// A request from its head to the end of its answer.
#[derive(Debug)]
struct InProgress(Activity);

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.requests -= 1;
        state.idle_until = Instant::now() + IDLE_FOR;
    }
}

/// The middleware that follows each request of a connection to the end of its answer.
pub(super) async fn follow(request: Request, next: Next) -> Response {
    let Some(activity) = request.extensions().get::<Activity>().cloned() else { return next.run(request).await };
    let (in_progress, begun) = (activity.begin_request(), Instant::now());
    let response = next.run(request).await;
    let limit = response.extensions().get::<ReadWithin>().map(|within| begun + within.0);
    response.map(|body| in_progress.follow(body, limit))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use bytes::Bytes;
    use http_body_util::BodyExt;

    use super::super::sized_body::PIECE;
    use super::*;

    /// Returns the answer with this body, as the connection gets it.
    fn answer(activity: &Activity, body: Body) -> Body {
        activity.begin_request().follow(body, None)
    }

    /// Returns the pieces of an answer that sends nothing, as a quiet watch.
    fn quiet() -> futures::stream::Pending<Result<Bytes, axum::Error>> {
        futures::stream::pending()
    }

    async fn over_after(activity: &Activity) -> (Over, Duration) {
        let begun = Instant::now();
        (activity.over().await, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends() {
        let activity = Activity::begin();
        assert_eq!(over_after(&activity).await, (Over::Idle, FIRST_REQUEST_WITHIN));
        let activity = Activity::begin();
        drop(answer(&activity, Body::empty()));
        assert_eq!(over_after(&activity).await, (Over::Idle, IDLE_FOR));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_with_an_answer_that_is_quiet_lives() {
        let activity = Activity::begin();
        let watch = answer(&activity, Body::from_stream(quiet()));
        assert!(tokio::time::timeout(Duration::from_secs(24 * 60 * 60), activity.over()).await.is_err());
        drop(watch);
        assert_eq!(over_after(&activity).await, (Over::Idle, IDLE_FOR));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_read_ends_its_connection() {
        let activity = Activity::begin();
        let mut body = answer(&activity, Body::from(vec![b'x'; PIECE + 1]));
        let first = body.frame().await;
        tokio::time::sleep(READ_WITHIN / 2).await;
        drop(first);
        let _second = body.frame().await;
        assert_eq!(over_after(&activity).await, (Over::Unread, READ_WITHIN));
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_broken_off_at_its_limit_though_pieces_are_read() {
        let activity = Activity::begin();
        let (begun, limit) = (Instant::now(), Instant::now() + REQUEST_TIMEOUT);
        let mut body = activity.begin_request().follow(Body::from(vec![b'x'; 100 * PIECE]), Some(limit));
        let mut read = 0;
        while let Ok(piece) = body.frame().await.unwrap() {
            read += piece.into_data().unwrap().len();
            tokio::time::sleep(READ_WITHIN / 4).await;
        }
        assert_eq!((read, begun.elapsed()), (4 * PIECE, REQUEST_TIMEOUT));
    }

    #[tokio::test(start_paused = true)]
    async fn a_small_answer_is_given_also_after_its_limit() {
        let mut body = Activity::begin().begin_request().follow(Body::from("small"), Some(Instant::now()));
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "small");
        assert!(http_body::Body::is_end_stream(&body));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_gets_the_next_piece_when_it_has_written_the_last_one() {
        let activity = Activity::begin();
        let mut body = answer(&activity, Body::from(vec![b'x'; 2 * PIECE]));
        assert_eq!(http_body::Body::size_hint(&body).exact(), Some(2 * PIECE as u64));
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(first.len(), PIECE);
        assert!(tokio::time::timeout(Duration::from_secs(1), body.frame()).await.is_err());
        drop(first);
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap().len(), PIECE);
        assert!(body.frame().await.is_none());
    }
}
