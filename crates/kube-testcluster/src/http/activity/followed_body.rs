//! The body of an answer whose pieces are followed until the connection has written them. It gives the connection few
//! pieces at a time, and breaks off at its time limit.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::{Activity, InProgress};
use crate::http::holding::holding;
use crate::http::sized_body::PIECE;

/// The connection gets the next piece of an answer only while fewer bytes of the answer than this wait to be written.
const WINDOW: usize = 64 * 1024;

impl InProgress {
    /// Wraps the body of the answer, so that the connection's activity includes its pieces, and so that the body breaks
    /// off at its time limit if it has one.
    pub(super) fn follow(self, body: Body, limit: Option<Instant>) -> Body {
        let limit = limit.map(|at| Limit { at, has_begun: false, sleep: None });
        Body::new(Followed { body, rest: Bytes::new(), flight: Arc::default(), request: self, limit })
    }
}

impl Activity {
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
