//! Candidate: sends the requests on the Lease. The elector decides when to send them. Upstream: `tryAcquireOrRenew` and
//! `tryRelease` in `tools/leaderelection/leaderelection.go`, and `resourcelock/leaselock.go`.

use http::Request;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube_client::Client;
use kube_client::api::{GetParams, PostParams};
use kube_core::request::Error as BadRequest;
use kube_core::{ObjectMeta, Resource};
use tokio::time::Instant;

use super::error::LeaseError;
use super::periods::Periods;
use super::record;
use crate::answer;
use crate::cache::ApiError;

/// One candidate's requests on the Lease, and the state in which it last saw the Lease.
pub(super) struct Candidate {
    client: Client,
    requests: kube_core::Request,
    name: String,
    /// The Lease's namespace and name, for messages.
    pub(super) lease: String,
    pub(super) identity: String,
    /// The last known state of the Lease; `None` if it does not exist or was never read.
    observed: Option<Observed>,
}

/// The Lease as it was last read or written.
struct Observed {
    lease: Lease,
    /// The time, by this candidate's clock, at which the present record was first seen.
    since: Instant,
}

impl Candidate {
    pub(super) fn new(client: Client, namespace: &str, name: &str, identity: String) -> Self {
        let requests = kube_core::Request::new(Lease::url_path(&(), Some(namespace)));
        let lease = format!("{namespace}/{name}");
        Self { client, requests, name: name.to_owned(), lease, identity, observed: None }
    }

    /// Returns the last known holder of the lease.
    pub(super) fn holder(&self) -> Option<&str> {
        self.record().and_then(record::holder)
    }

    /// Returns the number of times that the holder has changed.
    pub(super) fn transitions(&self) -> i32 {
        self.record().and_then(|record| record.lease_transitions).unwrap_or_default()
    }

    /// Takes the lease if it does not exist, was released, has expired or already belongs to this candidate. Returns
    /// true if this candidate holds the lease now.
    pub(super) async fn acquire(&mut self, periods: &Periods) -> Result<bool, LeaseError> {
        let written = match self.read().await? {
            Some(lease) if self.may_take(&lease, periods) => self.hold(lease, periods).await,
            Some(_) => return Ok(false),
            None => self.create(periods).await,
        };
        match written {
            Err(error) if error.is_conflict() => Ok(false), // another candidate was faster
            written => written.map(|()| true),
        }
    }

    /// Renews the lease. Returns false if the Lease names another holder, or none.
    pub(super) async fn renew(&mut self, periods: &Periods) -> Result<bool, LeaseError> {
        if let Some(observed) = &self.observed {
            // Normally only the holder writes the Lease, so it need not be read first.
            match self.hold(observed.lease.clone(), periods).await {
                Err(error) if error.is_conflict() || error.is_not_found() => {}
                written => return written.map(|()| true),
            }
        }
        match self.read().await? {
            Some(lease) if self.is_ours(&lease) => self.hold(lease, periods).await.map(|()| true),
            Some(_) => Ok(false),
            None => self.create(periods).await.map(|()| true),
        }
    }

    /// Releases the lease, unless another candidate holds it.
    pub(super) async fn release(&mut self) -> Result<(), LeaseError> {
        let mut known = self.observed.as_ref().map(|observed| observed.lease.clone());
        loop {
            let lease = match known.take() {
                Some(lease) => lease,
                None => match self.read().await? {
                    Some(lease) => lease,
                    None => return Ok(()),
                },
            };
            if !self.is_ours(&lease) {
                return Ok(());
            }
            match self.update(lease, record::release).await {
                // A renewal that was still in progress has changed the resourceVersion.
                Err(error) if error.is_conflict() => {}
                Err(error) if error.is_not_found() => return Ok(()),
                written => return written,
            }
        }
    }

    fn record(&self) -> Option<&LeaseSpec> {
        self.observed.as_ref()?.lease.spec.as_ref()
    }

    fn is_ours(&self, lease: &Lease) -> bool {
        lease.spec.as_ref().and_then(record::holder) == Some(&self.identity)
    }

    /// Returns true if the lease has no holder, this candidate holds it, or its record has not changed for its lease
    /// duration. If the record has no lease duration, this candidate's own applies.
    fn may_take(&self, lease: &Lease, periods: &Periods) -> bool {
        let Some(record) = &lease.spec else { return true };
        match (record::holder(record), &self.observed) {
            (None, _) => true,
            (Some(holder), _) if holder == self.identity => true,
            (Some(_), Some(observed)) => {
                observed.since.elapsed() >= record::duration(record).unwrap_or(periods.lease_duration)
            }
            (Some(_), None) => false,
        }
    }

    /// Reads the Lease and remembers it; `None` if it does not exist.
    async fn read(&mut self) -> Result<Option<Lease>, LeaseError> {
        let read = match self.send(self.requests.get(&self.name, &GetParams::default())).await {
            Ok(lease) => Some(lease),
            Err(error) if error.is_not_found() => None,
            Err(source) => return Err(LeaseError::Read { lease: self.lease.clone(), source }),
        };
        match &read {
            Some(lease) => self.set_observed(lease.clone()),
            None => self.observed = None,
        }
        Ok(read)
    }

    async fn create(&mut self, periods: &Periods) -> Result<(), LeaseError> {
        let lease = Lease {
            metadata: ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() },
            spec: Some(record::first(&self.identity, periods.lease_seconds())),
        };
        let request = body(&lease).and_then(|lease| self.requests.create(&PostParams::default(), lease));
        let created = self.send(request).await;
        self.set_observed(created.map_err(|source| LeaseError::Create { lease: self.lease.clone(), source })?);
        Ok(())
    }

    /// Writes this candidate as the holder, with the present time.
    async fn hold(&mut self, lease: Lease, periods: &Periods) -> Result<(), LeaseError> {
        let (identity, seconds) = (self.identity.clone(), periods.lease_seconds());
        self.update(lease, |record| record::hold(record, &identity, seconds)).await
    }

    /// Writes a changed Lease. The write contains the known resourceVersion, so it fails with a conflict if another
    /// client has changed the Lease since it was read.
    async fn update(&mut self, mut lease: Lease, change: impl FnOnce(&mut LeaseSpec)) -> Result<(), LeaseError> {
        change(lease.spec.get_or_insert_default());
        let request = body(&lease).and_then(|lease| self.requests.replace(&self.name, &PostParams::default(), lease));
        let updated = self.send(request).await;
        self.set_observed(updated.map_err(|source| LeaseError::Update { lease: self.lease.clone(), source })?);
        Ok(())
    }

    /// Sends a request, and returns the Lease in the answer.
    async fn send(&self, request: Result<Request<Vec<u8>>, BadRequest>) -> Result<Lease, ApiError> {
        let request = request.map_err(|error| ApiError::Client(error.into()))?;
        answer::object(&self.client, request).await
    }

    /// Remembers the lease. `since` is reset only if the record has changed.
    fn set_observed(&mut self, lease: Lease) {
        let since = match &self.observed {
            Some(observed) if observed.lease.spec == lease.spec => observed.since,
            _ => Instant::now(),
        };
        self.observed = Some(Observed { lease, since });
    }
}

/// Returns the body of a write.
fn body(lease: &Lease) -> Result<Vec<u8>, BadRequest> {
    serde_json::to_vec(lease).map_err(BadRequest::SerializeBody)
}
