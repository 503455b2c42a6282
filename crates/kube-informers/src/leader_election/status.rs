//! Who leads, for everyone who wants to know. Upstream: `IsLeader`, `GetLeader` and `OnNewLeader`.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::Never;

/// What a candidate knows of the election.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Who holds the lease, as last seen.
    pub(super) leader: Option<Arc<str>>,
    /// Until when this candidate may lead without another renewal; `None` if it does not.
    pub(super) until: Option<Instant>,
}

impl Known {
    pub(super) fn leads(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

/// Who leads, as one candidate sees it; from [`LeaderElector::status`](super::LeaderElector::status). For health checks, metrics
/// and logs. Clones are independent in what they have seen.
#[derive(Clone, Debug)]
pub struct LeaderStatus {
    pub(super) known: watch::Receiver<Known>,
}

impl LeaderStatus {
    /// Does this candidate lead? Never true after its renew deadline, whether or not the elector has noticed.
    pub fn is_leader(&self) -> bool {
        self.known.borrow().leads()
    }

    /// The identity of the last holder of the lease that was seen; `None` if none was seen yet or the lease was released.
    pub fn leader(&self) -> Option<Arc<str>> {
        self.known.borrow().leader.clone()
    }

    /// Waits until the leader is another one, or this candidate starts or stops to lead, since the last call.
    ///
    /// # Errors
    /// The elector is gone.
    pub async fn changed(&mut self) -> Result<(), Never> {
        self.known.changed().await.map_err(|_| Never)
    }
}
