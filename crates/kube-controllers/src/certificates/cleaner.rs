//! The cleaner of CertificateSigningRequests: deletes requests that are old, so that they do not pile up. Upstream:
//! `pkg/controller/certificates/cleaner`, which looks once an hour; this one deletes each request when its time is
//! over.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use kube_client::Client;
use kube_client::api::{Api, DeleteParams, DynamicObject};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::controller::{Context, Controller, Handle};
use super::{certificate, conditions};
use crate::clock::Clock;
use crate::shared::error::{ControllerError, SyncError};
use crate::shared::object::name;
use crate::shared::reconciler;
use kube_machinery::kinds::validity_of_certificate;

/// The time after which a decided request is deleted. Upstream: `approvedExpiration`, `deniedExpiration`.
const DECIDED: SignedDuration = SignedDuration::from_hours(1);

/// The time after which an undecided request is deleted, or an approved one without a certificate. Upstream:
/// `pendingExpiration`.
const UNFINISHED: SignedDuration = SignedDuration::from_hours(24);

/// Runs the controller for all requests of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first request on.
///
/// # Errors
/// An informer failed, or the work on a request panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller<Cleaner>>(client, stop).await
}

pub(crate) async fn run_when_needed(client: Client, clock: Clock, stop: CancellationToken) {
    reconciler::run_when_needed::<Controller<Cleaner>>(client, clock, stop).await;
}

/// Upstream: `CSRCleanerController`.
#[derive(Default)]
pub(crate) struct Cleaner;

impl Handle for Cleaner {
    async fn handle(&self, context: &Context, request: &DynamicObject) -> Result<(), SyncError> {
        let Some(end) = end(request) else { return Ok(()) };
        let left = end.duration_since(context.clock.time());
        if let Some(left) = Duration::try_from(left).ok().filter(|left| !left.is_zero()) {
            context.queue.add_after(name(&request.metadata).to_owned(), left);
            return Ok(());
        }
        let requests: Api<DynamicObject> = Api::all_with(context.client.clone(), &context.kind);
        let name = name(&request.metadata);
        match requests.delete(name, &DeleteParams::default()).await {
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => deleted.map(drop).map_err(SyncError::refused(format!("delete CSR {name}"))),
        }
    }
}

/// Returns the time from which a request is too old. Upstream: `handle`.
fn end(request: &DynamicObject) -> Option<Timestamp> {
    let issued = certificate(request);
    let of_conditions = conditions(request).iter().filter_map(|condition| {
        let lasts = match (condition["type"].as_str()?, issued) {
            ("Denied" | "Failed", _) | ("Approved", Some(_)) => DECIDED,
            ("Approved", None) => UNFINISHED,
            _ => return None,
        };
        first_second_after(time(&condition["lastUpdateTime"])?, lasts)
    });
    let created = request.metadata.creation_timestamp.as_ref().map(|time| time.0);
    let of_undecided =
        created.filter(|_| conditions(request).is_empty()).and_then(|created| first_second_after(created, UNFINISHED));
    let is_approved = super::has(request, "Approved");
    let of_certificate = issued.filter(|_| is_approved).and_then(validity_of_certificate).and_then(|validity| {
        let last = Timestamp::from_second(i64::try_from(validity.not_after).ok()?).ok()?;
        first_second_after(last, SignedDuration::ZERO)
    });
    of_conditions.chain(of_undecided).chain(of_certificate).min()
}

/// Returns the first second in which the time `lasts` since `since` is surely over, because times in objects are whole
/// seconds.
fn first_second_after(since: Timestamp, lasts: SignedDuration) -> Option<Timestamp> {
    since.checked_add(lasts).ok()?.checked_add(SignedDuration::from_secs(1)).ok()
}

fn time(text: &Value) -> Option<Timestamp> {
    text.as_str()?.parse().ok()
}
