//! Limits the memory of responses that wait for slow clients.
//!
//! A response is in memory until its client has read it, and a list keeps its objects alive meanwhile. So clients that
//! ask for large lists and do not read them could fill any memory. All waiting responses together are limited; beyond
//! the limit a read gets 429, as upstream answers when too many requests are in flight. A write is never refused,
//! because it has already happened, and its client must learn of it.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::response::Response;
use bytes::Bytes;
use futures::TryStreamExt;
use http::{HeaderValue, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::sized_body::sized_body;
use super::status::plain;

/// The smallest response that is counted, in bytes. Each connection has at most one smaller response, so those are
/// bounded anyway.
const SMALL: u64 = 64 * 1024;

/// The number of bytes for which one permit stands.
const UNIT: usize = 1024;

/// The memory that all waiting responses together may take. A response takes a permit for each kilobyte, and gives them
/// back when its client has read it.
#[derive(Debug)]
pub(crate) struct ResponseBudget {
    permits: Arc<Semaphore>,
    /// The number of permits in all.
    most: u32,
}

/// A piece of a response. The permits are given back when all pieces are read or dropped.
struct CountedPiece {
    bytes: Bytes,
    _permits: Arc<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for CountedPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl ResponseBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        let most = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).max(1);
        Self { permits: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Counts the response to a read until the client has read it, or refuses it if the budget is used up. A response
    /// larger than the whole budget is sent if no other one waits.
    pub(crate) fn admit_read(&self, response: Response) -> Response {
        let Some(units) = self.units(&response) else { return response };
        match self.permits.clone().try_acquire_many_owned(units) {
            Ok(permits) => with_permits(response, permits),
            Err(_) => too_many_requests(),
        }
    }

    /// Counts as much of the response to a write as the budget allows. Never refuses it.
    pub(crate) fn admit_write(&self, response: Response) -> Response {
        let Some(units) = self.units(&response) else { return response };
        let free = u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX);
        match self.permits.clone().try_acquire_many_owned(units.min(free)) {
            Ok(permits) => with_permits(response, permits),
            Err(_) => response, // another request has just taken the free permits
        }
    }

    /// Returns the number of permits that a response needs; `None` if it is not counted.
    fn units(&self, response: &Response) -> Option<u32> {
        let length = response.body().size_hint().exact().filter(|length| *length >= SMALL)?;
        Some(u32::try_from(length / UNIT as u64).unwrap_or(u32::MAX).min(self.most))
    }
}

/// Returns the same response, with its pieces counted until the client has read them.
fn with_permits(response: Response, permits: OwnedSemaphorePermit) -> Response {
    let permits = Arc::new(permits);
    let length = response.body().size_hint().lower();
    response.map(|body| {
        let count = move |bytes| Bytes::from_owner(CountedPiece { bytes, _permits: permits.clone() });
        sized_body(length, body.into_data_stream().map_ok(count))
    })
}

/// Returns the response to a read beyond the limit. Upstream: `tooManyRequests` of the max-in-flight filter.
fn too_many_requests() -> Response {
    let text = "Too many requests, please try again later.\n";
    let mut response = plain(StatusCode::TOO_MANY_REQUESTS, text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
