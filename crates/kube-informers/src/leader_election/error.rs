//! What can go wrong in an election.

use std::time::Duration;

use crate::cache::ApiError;

/// An elector cannot run with these settings. Upstream: the checks of `NewLeaderElector`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidElection {
    /// Without an identity, a candidate could not tell itself from others.
    #[error("the identity of the candidate is empty")]
    NoIdentity,
    /// Another candidate could take the lease before the old leader has stopped.
    #[error("lease duration {lease_duration:?} must be greater than renew deadline {renew_deadline:?}")]
    LeaseDuration {
        /// How long others wait.
        lease_duration: Duration,
        /// How long the leader goes on without a renewal.
        renew_deadline: Duration,
    },
    /// The leader would give up before its second try.
    #[error("renew deadline {renew_deadline:?} must be greater than 1.2 × retry period {retry_period:?}")]
    RenewDeadline {
        /// How long the leader goes on without a renewal.
        renew_deadline: Duration,
        /// How long it waits between two tries.
        retry_period: Duration,
    },
    /// There would be no pause between two tries.
    #[error("retry period must be greater than zero")]
    RetryPeriod,
}

/// A request about the Lease failed. The elector goes on: it tries again after its retry period.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// The Lease could not be read.
    #[error("cannot read lease {lease}")]
    Read {
        /// Namespace and name.
        lease: String,
        /// What the server or the client said.
        source: ApiError,
    },
    /// The Lease does not exist and could not be created.
    #[error("cannot create lease {lease}")]
    Create {
        /// Namespace and name.
        lease: String,
        /// What the server or the client said.
        source: ApiError,
    },
    /// The Lease could not be written.
    #[error("cannot update lease {lease}")]
    Update {
        /// Namespace and name.
        lease: String,
        /// What the server or the client said.
        source: ApiError,
    },
    /// There was no answer in time. Whether the request was carried out is not known.
    #[error("no answer about lease {lease} within {after:?}")]
    NoAnswer {
        /// Namespace and name.
        lease: String,
        /// How long was waited.
        after: Duration,
    },
}

impl LeaseError {
    /// Somebody else wrote first: the object has another resourceVersion, or exists by now.
    pub(super) fn is_conflict(&self) -> bool {
        match self {
            Self::Create { source, .. } | Self::Update { source, .. } => {
                source.status().is_some_and(|status| status.code == 409)
            }
            Self::Read { .. } | Self::NoAnswer { .. } => false,
        }
    }

    /// The Lease was deleted.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Read { source, .. } | Self::Update { source, .. } if source.is_not_found())
    }
}
