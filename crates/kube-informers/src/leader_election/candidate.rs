//! One candidate and what it knows of the Lease. Upstream: `tryAcquireOrRenew` and `tryRelease` in
//! `tools/leaderelection/leaderelection.go`, and `resourcelock/leaselock.go`.

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube_client::Api;
use kube_client::api::PostParams;
use kube_core::ObjectMeta;
use tokio::time::Instant;

use super::error::LeaseError;
use super::periods::Periods;
use super::record;

pub(super) struct Candidate {
    api: Api<Lease>,
    name: String,
    /// Namespace and name, for messages.
    pub(super) lease: String,
    pub(super) identity: String,
    seen: Option<Seen>,
}

/// The Lease as it was last read or written.
struct Seen {
    lease: Lease,
    /// When its record was first seen like this, by this candidate's clock.
    since: Instant,
}

impl Candidate {
    pub(super) fn new(api: Api<Lease>, namespace: &str, name: &str, identity: String) -> Self {
        Self { api, name: name.to_owned(), lease: format!("{namespace}/{name}"), identity, seen: None }
    }

    /// Who holds the lease, as far as is known.
    pub(super) fn holder(&self) -> Option<&str> {
        self.record().and_then(record::holder)
    }

    /// How often the holder has changed.
    pub(super) fn transitions(&self) -> i32 {
        self.record().and_then(|record| record.lease_transitions).unwrap_or_default()
    }

    /// Takes the lease if it is free, released, expired or this candidate's already; says whether it did.
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

    /// Renews the lease; says whether it is still this candidate's.
    pub(super) async fn renew(&mut self, periods: &Periods) -> Result<bool, LeaseError> {
        if let Some(seen) = &self.seen {
            // Nobody else should have written: no need to read first.
            match self.hold(seen.lease.clone(), periods).await {
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

    /// Gives the lease back, unless it is someone else's.
    pub(super) async fn release(&mut self) -> Result<(), LeaseError> {
        let mut known = self.seen.as_ref().map(|seen| seen.lease.clone());
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
                // A renewal that was under way has changed the resourceVersion.
                Err(error) if error.is_conflict() => {}
                Err(error) if error.is_not_found() => return Ok(()),
                written => return written,
            }
        }
    }

    fn record(&self) -> Option<&LeaseSpec> {
        self.seen.as_ref()?.lease.spec.as_ref()
    }

    fn is_ours(&self, lease: &Lease) -> bool {
        lease.spec.as_ref().and_then(record::holder) == Some(&self.identity)
    }

    /// Nobody holds the lease, or this candidate does, or its record has been the same for as long as it asks for. A record that
    /// asks for nothing counts as one of this candidate.
    fn may_take(&self, lease: &Lease, periods: &Periods) -> bool {
        let Some(record) = &lease.spec else { return true };
        match (record::holder(record), &self.seen) {
            (None, _) => true,
            (Some(holder), _) if holder == self.identity => true,
            (Some(_), Some(seen)) => seen.since.elapsed() >= record::duration(record).unwrap_or(periods.lease_duration),
            (Some(_), None) => false,
        }
    }

    async fn read(&mut self) -> Result<Option<Lease>, LeaseError> {
        let read = self.api.get_opt(&self.name).await;
        let read = read.map_err(|error| LeaseError::Read { lease: self.lease.clone(), source: error.into() })?;
        match &read {
            Some(lease) => self.saw(lease.clone()),
            None => self.seen = None,
        }
        Ok(read)
    }

    async fn create(&mut self, periods: &Periods) -> Result<(), LeaseError> {
        let lease = Lease {
            metadata: ObjectMeta { name: Some(self.name.clone()), ..ObjectMeta::default() },
            spec: Some(record::first(&self.identity, periods.lease_seconds())),
        };
        let created = self.api.create(&PostParams::default(), &lease).await;
        let created =
            created.map_err(|error| LeaseError::Create { lease: self.lease.clone(), source: error.into() })?;
        self.saw(created);
        Ok(())
    }

    async fn hold(&mut self, lease: Lease, periods: &Periods) -> Result<(), LeaseError> {
        let (identity, seconds) = (self.identity.clone(), periods.lease_seconds());
        self.update(lease, |record| record::hold(record, &identity, seconds)).await
    }

    /// Writes the lease with another record. Its resourceVersion goes with it: if anybody wrote since it was read, this fails.
    async fn update(&mut self, mut lease: Lease, change: impl FnOnce(&mut LeaseSpec)) -> Result<(), LeaseError> {
        change(lease.spec.get_or_insert_default());
        let updated = self.api.replace(&self.name, &PostParams::default(), &lease).await;
        let updated =
            updated.map_err(|error| LeaseError::Update { lease: self.lease.clone(), source: error.into() })?;
        self.saw(updated);
        Ok(())
    }

    /// Remembers the lease; since when it has been like this only begins anew if the record is another.
    fn saw(&mut self, lease: Lease) {
        let since = match &self.seen {
            Some(seen) if seen.lease.spec == lease.spec => seen.since,
            _ => Instant::now(),
        };
        self.seen = Some(Seen { lease, since });
    }
}
