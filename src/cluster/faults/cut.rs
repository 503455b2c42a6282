//! A watch that breaks off.

use std::io;
use std::sync::Arc;

use axum::body::{Body, BodyDataStream};
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt, stream};

use crate::cluster::resource::Resource;
use crate::cluster::store::Store;

/// The rest of a stream of events.
enum Rest {
    Whole(BodyDataStream),
    /// Half an event was sent: nothing follows but the error.
    Cut,
    Over,
}

/// The watch, whose connection breaks off in the middle of an event when a fault says so.
pub(crate) fn cuttable(store: Arc<Store>, resource: &'static Resource, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let events = stream::unfold(Rest::Whole(body.into_data_stream()), move |rest| {
        let store = store.clone();
        async move {
            let mut events = match rest {
                Rest::Whole(events) => events,
                Rest::Cut => return Some((Err(broken()), Rest::Over)),
                Rest::Over => return None,
            };
            Some(match events.next().await? {
                Ok(event) if store.faults.cuts(resource) => (Ok(half(event)), Rest::Cut),
                Ok(event) => (Ok(event), Rest::Whole(events)),
                Err(error) => (Err(io::Error::other(error)), Rest::Over),
            })
        }
    });
    Response::from_parts(parts, Body::from_stream(events))
}

fn half(mut event: Bytes) -> Bytes {
    event.truncate(event.len() / 2);
    event
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the watch is cut off in the middle of an event")
}
