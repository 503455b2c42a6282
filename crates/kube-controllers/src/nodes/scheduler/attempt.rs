//! A pod's attempt to get a node, as its task sees it while the pod waits in the queue.

use std::sync::Arc;

use tokio::sync::watch;

use super::queue::{Outcome, Pending};
use super::state::State;
use super::{Scheduler, Unfit};
use crate::nodes::progress::Resting;

/// A pod that waits in the queue. Dropping the attempt ends the wait.
pub(crate) struct Attempt {
    scheduler: Scheduler,
    uid: Arc<str>,
    outcome: watch::Receiver<Outcome>,
    /// Whether the pod's task has seen the node, so that it binds the pod or forgets it.
    node_was_read: bool,
}

impl Attempt {
    pub(super) fn new(scheduler: Scheduler, state: &mut State, pending: Pending, unfit: Unfit) -> Self {
        let uid = pending.uid.clone();
        let outcome = state.wait(pending, unfit);
        Self { scheduler, uid, outcome, node_was_read: false }
    }

    /// Returns the latest outcome.
    pub(crate) fn outcome(&mut self) -> Outcome {
        let outcome = self.outcome.borrow_and_update().clone();
        self.node_was_read = outcome.is_ok();
        outcome
    }

    /// Waits for another outcome. Until there is one, the pod counts as resting.
    pub(crate) async fn changed(&mut self) {
        {
            let mut state = self.scheduler.lock();
            let has_news = self.outcome.has_changed().unwrap_or(false);
            if let Some(waiting) = state.queue.get_mut(&self.uid).filter(|_| !has_news) {
                waiting.resting = Some(Resting::new(&self.scheduler.progress));
            }
        }
        if self.outcome.changed().await.is_err() {
            std::future::pending::<()>().await; // only the queue drops the sender, after the last outcome
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if !self.node_was_read {
            self.scheduler.forget(&self.uid);
        }
    }
}
