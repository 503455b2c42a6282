//! What a leader is given, and how its time ended.

use tokio_util::sync::CancellationToken;

use super::status::LeaderStatus;

/// How an election ended for this candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a candidate that lost its leadership should run again or exit"]
pub enum Outcome<T> {
    /// It was told to stop. If it led, the lease was released.
    Stopped,
    /// It led, and could not renew the lease in time or saw that another candidate has it. Its work was dropped before that could
    /// lead. It may run again.
    Lost,
    /// It led, and its work is done. The lease was released. Work that ends by itself after the stop, within the
    /// [grace period](super::LeaderElector::grace_period), is finished too, and not [`Stopped`](Self::Stopped).
    Finished(T),
}

/// The leadership of one candidate, for as long as its work is polled.
#[derive(Clone, Debug)]
pub struct Leadership {
    pub(super) status: LeaderStatus,
    pub(super) stopping: CancellationToken,
    pub(super) transitions: i32,
}

impl Leadership {
    /// Is the renew deadline still ahead? Asks the clock. For tasks that the leader's work spawned, and after long computations.
    pub fn is_held(&self) -> bool {
        self.status.is_leader()
    }

    /// Waits until the elector is told to stop. The work goes on for the
    /// [grace period](super::LeaderElector::grace_period) at most.
    pub async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    /// How often the lease had changed hands when this candidate took it. As long as nobody deletes the Lease, it is not lower
    /// than for any leader before. It is the same as before when a candidate takes a lease again that still names it.
    pub fn transitions(&self) -> i32 {
        self.transitions
    }
}
