//! The errors of a leader election: invalid options, which end a run, and failed requests, which do not.

use std::time::Duration;

use crate::cache::ApiError;

/// The error of an elector with invalid options. Upstream: the checks of `NewLeaderElector`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidElection {
    /// The identity is empty, so a candidate could not distinguish itself from others.
    #[error("the identity of the candidate is empty")]
    NoIdentity,
    /// The lease duration is too short: another candidate could take the lease before the old leader has stopped.
    #[error("lease duration {lease_duration:?} must be greater than renew deadline {renew_deadline:?}")]
    LeaseDuration {
        /// The time for which other candidates wait without seeing a renewal.
        lease_duration: Duration,
        /// The time for which the leader continues without a renewal.
        renew_deadline: Duration,
    },
    /// The renew deadline is too short: the leader would give up before its second try.
    #[error("renew deadline {renew_deadline:?} must be greater than 1.2 × retry period {retry_period:?}")]
    RenewDeadline {
        /// The time for which the leader continues without a renewal.
        renew_deadline: Duration,
        /// The pause between two tries.
        retry_period: Duration,
    },
    /// The retry period is zero, so there would be no pause between two tries.
    #[error("retry period must be greater than zero")]
    RetryPeriod,
}

/// The error of a failed request on the Lease. The elector continues and tries again after its retry period.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The Lease could not be read.
    #[error("cannot read lease {lease}")]
    Read {
        /// The Lease's namespace and name.
        lease: String,
        /// The error of the server or the client.
        source: ApiError,
    },
    /// The Lease does not exist and could not be created.
    #[error("cannot create lease {lease}")]
    Create {
        /// The Lease's namespace and name.
        lease: String,
        /// The error of the server or the client.
        source: ApiError,
    },
    /// The Lease could not be written.
    #[error("cannot update lease {lease}")]
    Update {
        /// The Lease's namespace and name.
        lease: String,
        /// The error of the server or the client.
        source: ApiError,
    },
    /// The request timed out. The server may or may not have executed it.
    #[error("no answer about lease {lease} within {after:?}")]
    NoAnswer {
        /// The Lease's namespace and name.
        lease: String,
        /// The timeout.
        after: Duration,
    },
}

impl LeaseError {
    /// Returns true if another client was faster: the Lease has a new resourceVersion, or exists already.
    pub(super) fn is_conflict(&self) -> bool {
        match self {
            Self::Create { source, .. } | Self::Update { source, .. } => {
                source.status().is_some_and(|status| status.code == 409)
            }
            Self::Read { .. } | Self::NoAnswer { .. } => false,
        }
    }

    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Read { source, .. } | Self::Update { source, .. } if source.is_not_found())
    }
}
