//! Answers that wait for their readers.
//!
//! An answer is in memory until its client has read it, and a list keeps its objects there, whatever becomes of them. So clients that
//! ask for large lists and read none could fill any memory. What waits is bounded in all; beyond it a read is answered with 429, as
//! upstream's when too many requests are in flight. A write has happened by then, and its client must hear of it.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::response::Response;
use bytes::Bytes;
use futures::TryStreamExt;
use http::{HeaderValue, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pieces::in_pieces;
use super::status::plain;

/// Smaller answers are not counted: there are as many of them as connections.
const SMALL: u64 = 64 * 1024;

/// How many bytes one permit stands for.
const UNIT: usize = 1024;

/// The memory for answers that wait for their readers.
#[derive(Debug)]
pub(crate) struct WaitingAnswers {
    permits: Arc<Semaphore>,
    most: u32,
}

/// A piece of an answer. The permits are given back when the answer has no more pieces and all of them were read.
struct Counted {
    bytes: Bytes,
    _permits: Arc<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl WaitingAnswers {
    pub(crate) fn new(bytes: usize) -> Self {
        let most = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).max(1);
        Self { permits: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Counts the answer of a read until it was read, or refuses it. One that is larger than everything that may wait goes
    /// alone.
    pub(crate) fn count_read(&self, response: Response) -> Response {
        let Some(units) = self.units(&response) else { return response };
        match self.permits.clone().try_acquire_many_owned(units) {
            Ok(permits) => counted(response, permits),
            Err(_) => too_many_requests(),
        }
    }

    /// Counts the answer of a write as far as there is room, and never refuses it.
    pub(crate) fn count_write(&self, response: Response) -> Response {
        let Some(units) = self.units(&response) else { return response };
        let free = u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX);
        match self.permits.clone().try_acquire_many_owned(units.min(free)) {
            Ok(permits) => counted(response, permits),
            Err(_) => response, // others have just taken them
        }
    }

    /// How many permits an answer needs; `None` if it is not counted.
    fn units(&self, response: &Response) -> Option<u32> {
        let length = response.body().size_hint().exact().filter(|length| *length >= SMALL)?;
        Some(u32::try_from(length / UNIT as u64).unwrap_or(u32::MAX).min(self.most))
    }
}

/// The same answer, whose pieces are counted until they were read.
fn counted(response: Response, permits: OwnedSemaphorePermit) -> Response {
    let permits = Arc::new(permits);
    let length = response.body().size_hint().lower();
    response.map(|body| {
        let count = move |bytes| Bytes::from_owner(Counted { bytes, _permits: permits.clone() });
        in_pieces(length, body.into_data_stream().map_ok(count))
    })
}

/// Upstream: `tooManyRequests` of the max-in-flight filter.
fn too_many_requests() -> Response {
    let text = "Too many requests, please try again later.\n";
    let mut response = plain(StatusCode::TOO_MANY_REQUESTS, text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
