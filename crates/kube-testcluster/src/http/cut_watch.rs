//! Applies the fault that cuts off a watch in the middle of an event, as a broken connection does. So a test can find
//! out if a client survives half a line of JSON.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Body, BodyDataStream};
use axum::response::Response;
use bytes::Bytes;
use futures::{Stream, StreamExt};

use crate::store::Store;
use kube_machinery::kinds::Resource;

/// A watch stream that a fault may cut off.
struct CuttableStream {
    store: Arc<Store>,
    resource: Resource,
    events: BodyDataStream,
    rest: Rest,
}

/// The part of the stream that is still to be sent.
enum Rest {
    Events,
    /// Half an event was sent; only an error follows, which breaks the connection.
    Error,
    Nothing,
}

/// Wraps a watch response, so that a fault can break its connection in the middle of an event.
pub(crate) fn with_cuts(store: Arc<Store>, resource: Resource, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let events = CuttableStream { store, resource, events: body.into_data_stream(), rest: Rest::Events };
    Response::from_parts(parts, Body::from_stream(events))
}

impl Stream for CuttableStream {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let (item, rest) = match self.rest {
            Rest::Events => match ready!(self.events.poll_next_unpin(cx)) {
                Some(Ok(event)) if self.store.faults.cuts(&self.resource) => (Some(Ok(half(event))), Rest::Error),
                Some(Ok(event)) => (Some(Ok(event)), Rest::Events),
                Some(Err(error)) => (Some(Err(io::Error::other(error))), Rest::Nothing),
                None => (None, Rest::Nothing),
            },
            Rest::Error => (Some(Err(broken())), Rest::Nothing),
            Rest::Nothing => (None, Rest::Nothing),
        };
        self.rest = rest;
        Poll::Ready(item)
    }
}

fn half(mut event: Bytes) -> Bytes {
    event.truncate(event.len() / 2);
    event
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the watch is cut off in the middle of an event")
}
