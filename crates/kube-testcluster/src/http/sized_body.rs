//! A response body that is generated while it is sent, with a known length. Long lists use it: their text is as large
//! as the cluster, and is never in memory as a whole.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::{Frame, SizeHint};

/// The size of a piece of a long body, in bytes. Only a few pieces are made before a reader takes them.
pub(crate) const PIECE: usize = 256 * 1024;

/// Returns a body of `length` bytes that come from `pieces`.
pub(crate) fn sized_body<P>(length: u64, pieces: P) -> Body
where
    P: Stream<Item = Result<Bytes, axum::Error>> + Send + Unpin + 'static,
{
    Body::new(SizedBody { remaining: length, pieces })
}

/// A body with a known length. A plain stream has none, but clients need it as `Content-Length`, and `ResponseBudget`
/// counts it.
struct SizedBody<P> {
    /// The number of bytes that are still to be sent.
    remaining: u64,
    pieces: P,
}

impl<P: Stream<Item = Result<Bytes, axum::Error>> + Unpin> http_body::Body for SizedBody<P> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let piece = ready!(self.pieces.poll_next_unpin(cx));
        if let Some(Ok(piece)) = &piece {
            self.remaining = self.remaining.saturating_sub(piece.len() as u64);
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}
