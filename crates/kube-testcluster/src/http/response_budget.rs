//! Limits the memory of responses that wait for slow clients.
//!
//! A response is in memory until its client has read it, and a list keeps its objects alive meanwhile. So clients that
//! ask for large lists and do not read them could fill any memory. All waiting responses together are limited, those of
//! reads and of writes. Beyond the limit a request gets 429, as upstream answers when too many requests are in flight.
//! A write makes its reservation before it begins. Otherwise a stored write could be answered with 429, and its client
//! would send it again.

use std::sync::Arc;

use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use bytes::Bytes;
use futures::TryStreamExt;
use http::{HeaderValue, StatusCode, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::holding::holding;
use super::response::plain;
use super::sized_body::sized_body;
use crate::store::Requester;

/// The smallest response that is counted, in bytes. Smaller ones need no limit: a request in progress has at most one
/// response or, for a watch, one event at a time.
pub(crate) const SMALL: u64 = 64 * 1024;

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

/// The part of the budget that one response has; none for a small one.
#[derive(Debug, Default)]
pub(crate) struct Reservation(Option<OwnedSemaphorePermit>);

/// The part of the budget that one event of a watch has.
#[derive(Debug)]
pub(crate) struct EventReservation(OwnedSemaphorePermit);

impl EventReservation {
    /// Holds the reservation until the bytes are written or dropped.
    pub(crate) fn hold(self, bytes: Bytes) -> Bytes {
        holding(bytes, self.0)
    }
}

/// Marks a response that has its reservation.
#[derive(Clone, Copy, Debug)]
struct Counted;

/// The budget is too small for a reservation beside the existing ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OverBudget;

impl ResponseBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        let most = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX).max(1);
        Self { permits: Arc::new(Semaphore::new(most as usize)), most }
    }

    /// Makes a reservation for a response of this many bytes. A response that is larger than the whole budget gets all
    /// of it, if there is no other reservation.
    pub(crate) fn reserve(&self, bytes: u64) -> Result<Reservation, OverBudget> {
        let mut reservation = Reservation::default();
        self.resize(&mut reservation, bytes).map(|()| reservation)
    }

    /// Changes a reservation to this many bytes. If the budget is too small, the reservation stays as it is.
    pub(crate) fn resize(&self, reservation: &mut Reservation, bytes: u64) -> Result<(), OverBudget> {
        let (wanted, held) = (self.units(bytes), reservation.0.as_ref().map_or(0, OwnedSemaphorePermit::num_permits));
        let Some(missing) = (wanted as usize).checked_sub(held).filter(|missing| *missing > 0) else {
            let surplus = held - wanted as usize;
            drop(reservation.0.as_mut().and_then(|held| held.split(surplus)));
            return Ok(());
        };
        let missing = u32::try_from(missing).unwrap_or(u32::MAX);
        let more = self.permits.clone().try_acquire_many_owned(missing).map_err(|_| OverBudget)?;
        match &mut reservation.0 {
            Some(held) => held.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }

    /// Waits for a reservation for the event of a watch. Returns `None` for a small event, which is not counted.
    pub(crate) async fn reserve_event(&self, bytes: u64) -> Option<EventReservation> {
        let units = self.units(bytes);
        if units == 0 {
            return None;
        }
        self.permits.clone().acquire_many_owned(units).await.map(EventReservation).ok() // the semaphore is never closed
    }

    /// Returns the number of permits for this many bytes.
    fn units(&self, bytes: u64) -> u32 {
        if bytes < SMALL { 0 } else { u32::try_from(bytes / UNIT as u64).unwrap_or(u32::MAX).min(self.most) }
    }
}

impl Reservation {
    /// Holds the reservation until the client has read the response.
    pub(crate) fn until_read(self, mut response: Response) -> Response {
        response.extensions_mut().insert(Counted);
        let Some(permits) = self.0.filter(|held| held.num_permits() > 0).map(Arc::new) else { return response };
        let length = response.body().size_hint().lower();
        response.map(|body| {
            let count = move |bytes| holding(bytes, permits.clone()); // given back when all pieces are read or dropped
            sized_body(length, body.into_data_stream().map_ok(count))
        })
    }
}

/// The middleware that counts the responses that have no reservation yet, such as discovery documents.
pub(crate) async fn count(State(budget): State<Arc<ResponseBudget>>, request: Request, next: Next) -> Response {
    let requester = Requester::of(request.extensions());
    let response = next.run(request).await;
    if requester == Requester::Cluster || response.extensions().get::<Counted>().is_some() {
        return response;
    }
    match budget.reserve(length(&response)) {
        Ok(reservation) => reservation.until_read(response),
        Err(OverBudget) => too_many_requests(),
    }
}

/// Returns the length of a response; 0 if it is not known before its end, as of a watch or a log.
pub(crate) fn length(response: &Response) -> u64 {
    response.body().size_hint().exact().unwrap_or_default()
}

/// Upstream: `tooManyRequests` of the max-in-flight filter.
pub(crate) fn too_many_requests() -> Response {
    let text = "Too many requests, please try again later.\n";
    let mut response = plain(StatusCode::TOO_MANY_REQUESTS, text);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_follows_the_length_of_its_response() {
        let budget = ResponseBudget::new(1024 * UNIT);
        let mut one = budget.reserve(200 * UNIT as u64).unwrap();
        assert_eq!(budget.permits.available_permits(), 824);
        budget.resize(&mut one, 900 * UNIT as u64).unwrap();
        assert_eq!(budget.reserve(200 * UNIT as u64).unwrap_err(), OverBudget);
        budget.resize(&mut one, 100 * UNIT as u64).unwrap();
        assert_eq!(budget.permits.available_permits(), 924);
        budget.resize(&mut one, 10).unwrap();
        assert_eq!(budget.permits.available_permits(), 1024);
    }

    #[test]
    fn a_reservation_for_more_than_the_budget_is_made_alone() {
        let budget = ResponseBudget::new(0);
        let one = budget.reserve(u64::MAX).unwrap();
        assert_eq!(budget.reserve(SMALL).unwrap_err(), OverBudget);
        assert!(budget.reserve(SMALL - 1).is_ok(), "small responses do not count");
        drop(one);
        assert!(budget.reserve(SMALL).is_ok());
    }
}
