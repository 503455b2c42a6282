//! LeaderStatus: shows the state of an election, for health checks, metrics and logs. Upstream: `IsLeader`, `GetLeader`
//! and `OnNewLeader`.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::Never;

#[derive(Clone, Debug, Default)]
pub(super) struct ElectionState {
    /// The last seen holder of the lease.
    pub(super) leader: Option<Arc<str>>,
    /// The time until which this candidate may lead without another renewal; `None` if it does not lead.
    pub(super) leads_until: Option<Instant>,
}

impl ElectionState {
    pub(super) fn is_leader(&self) -> bool {
        self.leads_until.is_some_and(|until| Instant::now() < until)
    }
}

/// A view of the election's state, as one candidate sees it. Each clone waits for changes independently.
#[derive(Clone, Debug)]
pub struct LeaderStatus {
    pub(super) state: watch::Receiver<ElectionState>,
}

impl LeaderStatus {
    /// Returns true if this candidate leads (client-go's `IsLeader`). Never true after its renew deadline, even if the
    /// elector has not noticed yet.
    pub fn is_leader(&self) -> bool {
        self.state.borrow().is_leader()
    }

    /// Returns the last seen holder's identity; `None` if the lease was released or never seen (client-go's
    /// `GetLeader`).
    pub fn leader(&self) -> Option<Arc<str>> {
        self.state.borrow().leader.clone()
    }

    /// Waits for a change since the last call: the leader changes, or this candidate starts or stops leading.
    ///
    /// # Errors
    /// [`Never`] if the elector was dropped.
    pub async fn changed(&mut self) -> Result<(), Never> {
        self.state.changed().await.map_err(|_| Never)
    }
}
