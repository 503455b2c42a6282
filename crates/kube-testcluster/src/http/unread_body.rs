//! The middleware that reads the rest of a request's body after its response is ready, and limits the time that a
//! handler waits for the body.
//!
//! A request can be answered before its body was read to the end. Its connection can serve another request only after
//! the rest was read; otherwise the server would take the rest for the next request. Upstream: Go's HTTP server.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use http::{HeaderValue, Version, header};
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::deadline::REQUEST_TIMEOUT;
use super::lingering::Unread;

/// The most bytes of a body that are read and discarded. If there are more, the connection is closed instead.
const MOST: usize = 256 * 1024;

/// The longest wait for the rest of a body. A client that sends half a body would keep its connection otherwise.
const REST_WITHIN: Duration = Duration::from_secs(5);

/// Reads the rest of the body before the response is sent, or announces in the response that the connection will be
/// closed.
pub(crate) async fn read_the_rest(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    // A client that sends `Expect: 100-continue` waits for permission. Reading the body would ask it to send one that
    // is not needed.
    let waits = parts.headers.contains_key(header::EXPECT);
    let version = parts.version;
    let unread = parts.extensions.get::<Unread>().cloned();
    let slot = Slot::default();
    let lent = Lent { body: Some(body), slot: slot.clone(), limit: None };
    let mut response = next.run(Request::from_parts(parts, Body::new(lent))).await;
    let rest = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(rest) = rest
        && version < Version::HTTP_2
        && (waits || !is_short(rest).await)
    {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        if let Some(unread) = unread {
            unread.note();
        }
    }
    response
}

type Slot = Arc<Mutex<Option<Body>>>;

/// A body that a handler reads. If the handler drops it before its end, the rest goes to the slot.
struct Lent {
    body: Option<Body>,
    slot: Slot,
    /// Ends the wait for the body, which begins when the handler first waits. The handlers of writes wait less long.
    limit: Option<Pin<Box<Sleep>>>,
}

impl http_body::Body for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(cx);
        if polled.is_pending() {
            ready!(self.limit.get_or_insert_with(|| Box::pin(sleep(REQUEST_TIMEOUT))).as_mut().poll(cx));
            let why = io::Error::new(io::ErrorKind::TimedOut, "the body did not arrive in time");
            return Poll::Ready(Some(Err(axum::Error::new(why))));
        }
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = self.body.take();
    }
}

/// Reads a body to its end. Returns false if it is longer than [`MOST`], breaks off, or takes longer than
/// [`REST_WITHIN`].
async fn is_short(rest: Body) -> bool {
    let read = async {
        let (mut rest, mut read) = (rest.into_data_stream(), 0);
        while let Some(bytes) = rest.next().await {
            let Ok(bytes) = bytes else { return false };
            read += bytes.len();
            if read > MOST {
                return false;
            }
        }
        true
    };
    tokio::time::timeout(REST_WITHIN, read).await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware;
    use futures::stream;
    use http::StatusCode;
    use tower::Service;

    use super::*;

    /// Returns the `Connection` header of the response to a request whose handler does not read the body. Also checks
    /// that the unread flag is set exactly when the connection is closed.
    async fn connection_after(body: Body, expects: Option<&'static str>) -> Option<HeaderValue> {
        let refused = || async { StatusCode::METHOD_NOT_ALLOWED };
        let mut router = Router::new().fallback(refused).layer(middleware::from_fn(read_the_rest));
        let mut request = Request::post("/").body(body).unwrap();
        if let Some(expects) = expects {
            request.headers_mut().insert(header::EXPECT, HeaderValue::from_static(expects));
        }
        let unread = Unread::default();
        request.extensions_mut().insert(unread.clone());
        let connection = router.call(request).await.unwrap().headers().get(header::CONNECTION).cloned();
        assert_eq!(unread.is_noted(), connection.is_some());
        connection
    }

    #[tokio::test]
    async fn a_connection_stays_open_after_a_short_unread_body() {
        assert_eq!(connection_after(Body::from(vec![b'x'; MOST]), None).await, None);
        assert_eq!(
            connection_after(Body::empty(), Some("100-continue")).await,
            Some(HeaderValue::from_static("close"))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_closed_says_so() {
        let long = Body::from(vec![b'x'; MOST + 1]);
        assert_eq!(connection_after(long, None).await, Some(HeaderValue::from_static("close")));
        let half = stream::iter([Ok::<_, std::io::Error>(Bytes::from("x"))]).chain(stream::pending());
        assert_eq!(connection_after(Body::from_stream(half), None).await, Some(HeaderValue::from_static("close")));
        let broken = stream::iter([Ok(Bytes::from("x")), Err(std::io::Error::other("broken"))]);
        assert_eq!(connection_after(Body::from_stream(broken), None).await, Some(HeaderValue::from_static("close")));
    }
}
