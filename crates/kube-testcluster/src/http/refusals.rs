//! A wrapper of a connection that gives refusals of malformed HTTP requests a `Status` as body. The HTTP library
//! answers a request line of more than 64 KiB, or a head that it cannot parse, by itself and without a body, and has no
//! hook for that. So this wrapper looks at the bytes that are written, and replaces such a response.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::StatusCode;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::lingering::Unread;
use super::status::ApiError;

/// A connection that replaces the HTTP library's own refusals by a `Status`.
pub(crate) struct StatusOnRefusal<S> {
    stream: S,
    /// The response that replaces a refusal, and the number of its bytes that are already written.
    replacement: Option<(Vec<u8>, usize)>,
    unread: Unread,
}

impl<S> StatusOnRefusal<S> {
    /// Wraps a connection. After a refusal, the rest of the request counts as unread, so that the connection lingers
    /// and the client can read the answer.
    pub(crate) fn new(stream: S, unread: Unread) -> Self {
        Self { stream, replacement: None, unread }
    }
}

/// The codes with which the HTTP library refuses a request by itself. The server's own answers with these codes have
/// bodies.
const REFUSALS: [StatusCode; 3] =
    [StatusCode::BAD_REQUEST, StatusCode::URI_TOO_LONG, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE];

/// Returns the response to write in place of these bytes; `None` if they are no refusal of the HTTP library.
fn replacement_of(written: &[u8]) -> Option<Vec<u8>> {
    let head = std::str::from_utf8(written.strip_prefix(b"HTTP/1.1 ")?).ok()?;
    let code = StatusCode::from_bytes(head.get(..3)?.as_bytes()).ok().filter(|code| REFUSALS.contains(code))?;
    if !head.ends_with("\r\n\r\n") || !head.contains("\r\ncontent-length: 0\r\n") {
        return None;
    }
    let reason = code.canonical_reason().unwrap_or("Bad Request");
    let body = ApiError::malformed_request(code).json();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncache-control: no-cache, private\r\n\
         connection: close\r\ncontent-length: {length}\r\n\r\n",
        code.as_u16()
    );
    Some([head.into_bytes(), body].concat())
}

impl<S: AsyncWrite + Unpin> StatusOnRefusal<S> {
    /// Writes the rest of the replacement, if there is one.
    fn poll_replacement(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, written)) = &mut self.replacement {
            *written += ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes[*written..]))?;
            if *written == bytes.len() {
                self.replacement = None;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StatusOnRefusal<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.replacement.is_none() {
            match replacement_of(bytes) {
                Some(other) => {
                    self.unread.note();
                    self.replacement = Some((other, 0));
                }
                None => return Pin::new(&mut self.stream).poll_write(cx, bytes),
            }
        }
        self.poll_replacement(cx).map_ok(|()| bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match slices {
            // The HTTP library writes a refusal in one piece.
            [only] => self.poll_write(cx, only),
            _ => Pin::new(&mut self.stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StatusOnRefusal<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_answer_of_the_server_itself_stays_as_it_is() {
        let head = |code: &str| format!("HTTP/1.1 {code}\r\ncontent-length: 0\r\ndate: now\r\n\r\n");
        for code in ["404 Not Found", "405 Method Not Allowed", "406 Not Acceptable"] {
            assert_eq!(replacement_of(head(code).as_bytes()), None, "{code}");
        }
        for code in ["400 Bad Request", "414 URI Too Long", "431 Request Header Fields Too Large"] {
            let refusal = String::from_utf8(replacement_of(head(code).as_bytes()).unwrap()).unwrap();
            assert!(
                refusal.starts_with(&format!("HTTP/1.1 {code}\r\n")) && refusal.contains("\"Status\""),
                "{refusal}"
            );
        }
    }
}
