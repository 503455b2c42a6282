//! A wrapper of a connection that delays its end, so that its client can read the last response even while it still
//! sends a body. Data that arrives at a closed socket resets the connection, and after a reset the client loses what it
//! has not read yet. Go's HTTP server waits before it closes (`closeWriteAndWait`); this server also reads meanwhile,
//! as RFC 9112, section 9.6, recommends.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The longest time that a client may take to read the last response and to close its side. Go: `rstAvoidanceDelay`.
const LINGER: Duration = Duration::from_millis(500);

/// The number of bytes that are read and discarded at once.
const DISCARDED: usize = 16 * 1024;

/// A flag of a connection, set when a request was answered before its body was read to the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(crate) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that keeps reading for a while after its last response if a request body was not read to the end.
pub(crate) struct Lingering<S> {
    stream: S,
    unread: Unread,
    /// The end of the wait for the client.
    until: Option<Pin<Box<Sleep>>>,
    /// True if the server's side is closed.
    is_closed: bool,
}

impl<S> Lingering<S> {
    pub(crate) fn new(stream: S, unread: Unread) -> Self {
        Self { stream, unread, until: None, is_closed: false }
    }
}

impl<S: AsyncRead + Unpin> Lingering<S> {
    /// Reads and discards data until the client closes its side.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [0; DISCARDED];
        loop {
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// The HTTP library calls this after the last response, and closes the socket when it is ready.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.unread.is_noted() {
            return Pin::new(&mut self.stream).poll_shutdown(cx);
        }
        // Close the server's side, so that the client sees the end of the response, and then read until the client
        // closes its side or the time is over.
        let until = self.until.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if until.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if !self.is_closed {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.is_closed = true;
        }
        self.poll_end(cx).map(Ok)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_still_sends_reads_the_response() {
        let (server, mut client) = duplex(8);
        let unread = Unread::default();
        let mut server = Lingering::new(server, unread.clone());
        unread.note();
        let closing = tokio::spawn(async move {
            server.write_all(b"refused").await.unwrap();
            server.shutdown().await.unwrap();
        });
        client.write_all(&[b'x'; 100]).await.unwrap(); // more than the buffer holds
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        assert_eq!(read, "refused");
        drop(client);
        closing.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn closing_waits_half_a_second_for_the_client_and_only_if_a_body_is_unread() {
        for (is_unread, waits) in [(true, LINGER), (false, Duration::ZERO)] {
            let (server, client) = duplex(8);
            let unread = Unread::default();
            let mut server = Lingering::new(server, unread.clone());
            if is_unread {
                unread.note();
            }
            let begun = tokio::time::Instant::now();
            server.shutdown().await.unwrap();
            assert_eq!(begun.elapsed(), waits);
            drop(client);
        }
    }
}
