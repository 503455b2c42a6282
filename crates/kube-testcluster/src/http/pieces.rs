//! A body that is made while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::{Frame, SizeHint};

/// How long a piece of a long body should be, in bytes. Only few of them are made before a reader takes them.
pub(crate) const PIECE: usize = 256 * 1024;

/// A body of `length` bytes, which come from `pieces`.
pub(crate) fn in_pieces<P>(length: u64, pieces: P) -> Body
where
    P: Stream<Item = Result<Bytes, axum::Error>> + Send + Unpin + 'static,
{
    Body::new(Pieces { left: length, pieces })
}

/// A stream of pieces alone would say nothing of its length, which clients are told and [`WaitingAnswers`] counts.
///
/// [`WaitingAnswers`]: super::waiting_answers::WaitingAnswers
struct Pieces<P> {
    /// How many bytes are left.
    left: u64,
    pieces: P,
}

impl<P: Stream<Item = Result<Bytes, axum::Error>> + Unpin> http_body::Body for Pieces<P> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let piece = ready!(self.pieces.poll_next_unpin(cx));
        if let Some(Ok(piece)) = &piece {
            self.left = self.left.saturating_sub(piece.len() as u64);
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
