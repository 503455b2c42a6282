//! Follows the requests and answers of one connection, and decides when the connection is of no use any more: its
//! client sends no request, or does not read an answer. Without these limits, silent clients would keep their
//! connections, and the memory of their answers, for ever. The limits hold for HTTP/1.1 and HTTP/2 alike, because they
//! concern requests and pieces of answers, and not bytes on the connection. A quiet watch is a request in progress, so
//! its connection stays.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::deadline::{REQUEST_TIMEOUT, ReadWithin};
use super::holding::holding;
use super::sized_body::PIECE;

/// The longest time from the beginning of a connection to the head of its first request. Upstream: `ReadHeaderTimeout`.
pub(super) const FIRST_REQUEST_WITHIN: Duration = Duration::from_secs(32);

/// The longest time that a connection may be without a request. Upstream: `IdleTimeout`.
pub(super) const IDLE_FOR: Duration = Duration::from_secs(90);

/// The longest time that a client may take to read a piece of an answer. It limits the answers of watches, too, which
/// have no [`ReadWithin`].
pub(super) const READ_WITHIN: Duration = REQUEST_TIMEOUT;

/// The connection gets the next piece of an answer only while fewer bytes of the answer than this wait to be written.
const WINDOW: usize = 64 * 1024;

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

    /// Follows a piece of an answer that the connection gets, until the piece is written.
    fn give(&self, bytes: Bytes, flight: &Arc<Flight>) -> Bytes {
        let length = bytes.len();
        flight.state().bytes += length;
        let mut state = self.state();
        let number = state.next_piece;
        state.next_piece += 1;
        state.unread.insert(number, Instant::now());
        drop(state);
        holding(bytes, Piece { length, number, activity: self.clone(), flight: flight.clone() })
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

impl InProgress {
    /// Wraps the body of the answer, so that the connection's activity includes its pieces, and so that the body breaks
    /// off at its time limit if it has one.
    fn follow(self, body: Body, limit: Option<Instant>) -> Body {
        let limit = limit.map(|at| Limit { at, has_begun: false, sleep: None });
        Body::new(Followed { body, rest: Bytes::new(), flight: Arc::default(), request: self, limit })
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.requests -= 1;
        state.idle_until = Instant::now() + IDLE_FOR;
    }
}

/// The pieces of one answer that are not written yet.
#[derive(Debug, Default)]
struct Flight(Mutex<FlightState>);

#[derive(Debug, Default)]
struct FlightState {
    bytes: usize,
    /// Woken when a piece is written.
    waker: Option<Waker>,
}

impl Flight {
    fn state(&self) -> MutexGuard<'_, FlightState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the next piece may be given to the connection.
    fn poll_room(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.bytes < WINDOW {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

/// The record of a piece of an answer. It is dropped when the piece is written, or when the connection ends.
struct Piece {
    length: usize,
    number: u64,
    activity: Activity,
    flight: Arc<Flight>,
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.activity.state().unread.remove(&self.number);
        let mut flight = self.flight.state();
        flight.bytes -= self.length;
        let waker = flight.waker.take();
        drop(flight);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The body of an answer, whose pieces are followed until they are written.
struct Followed {
    body: Body,
    /// The rest of a long piece.
    rest: Bytes,
    flight: Arc<Flight>,
    request: InProgress,
    limit: Option<Limit>,
}

/// The time at which an answer is broken off if it has not ended. Without it, a client that reads a little now and then
/// would keep the memory of a large answer for hours.
struct Limit {
    at: Instant,
    /// True after the first piece. The limit does not apply to that piece, so that no `timeout` is too short for a
    /// small answer.
    has_begun: bool,
    /// The timer. It is made when the answer has to wait, because most answers end without a wait.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Limit {
    fn is_over(&self) -> bool {
        self.has_begun && Instant::now() >= self.at
    }

    fn poll_over(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.sleep.get_or_insert_with(|| Box::pin(sleep_until(self.at))).as_mut().poll(cx)
    }
}

impl Followed {
    /// Gives the next piece of the answer to the connection.
    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        ready!(self.flight.poll_room(cx));
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => self.rest = bytes,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let length = PIECE.min(self.rest.len());
        let piece = self.rest.split_to(length);
        let piece = self.request.0.give(piece, &self.flight);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl http_body::Body for Followed {
    type Data = Bytes;
    type Error = axum::Error;

    /// An error makes the HTTP library close the connection, or, with HTTP/2, reset the stream.
    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let is_over = this.limit.as_ref().is_some_and(Limit::is_over);
        let piece = if is_over { Poll::Pending } else { this.poll_piece(cx) };
        match (&mut this.limit, piece) {
            (Some(limit), Poll::Pending) if limit.has_begun => {
                ready!(limit.poll_over(cx));
                let why = io::Error::new(io::ErrorKind::TimedOut, "the client did not read the answer in time");
                Poll::Ready(Some(Err(axum::Error::new(why))))
            }
            (limit, piece) => {
                if let Some(limit) = limit {
                    limit.has_begun |= piece.is_ready();
                }
                piece
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, hint) = (self.rest.len() as u64, self.body.size_hint());
        let mut whole = SizeHint::new();
        whole.set_lower(hint.lower().saturating_add(rest));
        if let Some(upper) = hint.upper() {
            whole.set_upper(upper.saturating_add(rest));
        }
        whole
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
    use http_body_util::BodyExt;

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
