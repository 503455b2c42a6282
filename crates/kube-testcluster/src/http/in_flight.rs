//! Answers that wait for their readers.
//!
//! An answer is in memory until its client has read it, so clients that ask for large lists and read none could fill any
//! memory. What waits is bounded in all; beyond it the answer is 429, as upstream's when too many requests are in flight.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::status::{ApiError, PLAIN, answer};

/// Smaller answers are not counted: there are as many of them as connections.
const SMALL: u64 = 64 * 1024;

/// How many bytes one permit stands for.
const UNIT: usize = 1024;

/// The memory for answers that wait for their readers.
#[derive(Debug)]
pub(crate) struct InFlight {
    permits: Arc<Semaphore>,
    most: u32,
}

/// The content of an answer. The last reader gives the permits back.
struct Counted {
    bytes: Bytes,
    _permits: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl InFlight {
    pub(crate) fn new(bytes: usize) -> Self {
        let most = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).max(1);
        Self { permits: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Counts an answer until it was read, or refuses it. One that is larger than everything that may wait goes alone.
    pub(crate) async fn count(&self, response: Response) -> Response {
        let Some(length) = response.body().size_hint().exact().filter(|length| *length >= SMALL) else {
            return response;
        };
        let units = u32::try_from(length / UNIT as u64).unwrap_or(u32::MAX).min(self.most);
        let Ok(permits) = self.permits.clone().try_acquire_many_owned(units) else { return too_many_requests() };
        let (parts, body) = response.into_parts();
        let Ok(body) = body.collect().await else { return ApiError::internal("the answer broke off").into_response() };
        let counted = Counted { bytes: body.to_bytes(), _permits: permits };
        Response::from_parts(parts, Body::from(Bytes::from_owner(counted)))
    }
}

/// Upstream: `tooManyRequests` of the max-in-flight filter.
fn too_many_requests() -> Response {
    let text = "Too many requests, please try again later.\n";
    let mut response = answer(StatusCode::TOO_MANY_REQUESTS, PLAIN, Body::from(text));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
