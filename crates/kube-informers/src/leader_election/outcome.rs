//! Leadership, the handle that a leader's work gets, and Outcome, the result of an election run.

use tokio_util::sync::CancellationToken;

use super::status::LeaderStatus;

/// The result of [`LeaderElector::run`](super::LeaderElector::run).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a candidate that lost its leadership should run again or exit"]
pub enum Outcome<T> {
    /// `stop` was cancelled. If the candidate led, the lease was released.
    Stopped,
    /// The candidate led, but could not renew the lease in time, or another candidate took it. The candidate may run
    /// again.
    Lost,
    /// The work finished; this is its output. The lease was released. Work that finishes after the stop, within the
    /// [grace period](super::LeaderElector::grace_period), counts as finished, not as [`Stopped`](Self::Stopped).
    Finished(T),
}

/// A handle to the leadership, which the leader's work gets.
#[derive(Clone, Debug)]
pub struct Leadership {
    pub(super) status: LeaderStatus,
    pub(super) stopping: CancellationToken,
    pub(super) transitions: i32,
}

impl Leadership {
    /// Returns true if the renew deadline has not passed yet. Tasks that the leader's work spawned need this check.
    pub fn is_held(&self) -> bool {
        self.status.is_leader()
    }

    /// Waits until the elector's `stop` is cancelled. After that, the work may continue for at most the
    /// [grace period](super::LeaderElector::grace_period).
    pub async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// Returns how often the holder of the lease had changed when this candidate took it.
    ///
    /// The number never decreases from leader to leader, unless the Lease is deleted. It stays the same if a candidate
    /// takes a lease again that still names it as the holder.
    pub fn transitions(&self) -> i32 {
        self.transitions
    }
}
