//! The load balancer of a trial: a set of backends, which the program has to keep in step with the pods of the cluster.
//! The judges compare its backends with the pods at the end.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::sleep;

use informer_lab::exercises::judging::{Backend, EntryKind, Journal};

/// The speed and the outage of the load balancer.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// The virtual time that each change takes.
    pub takes: Duration,
    /// The time since the start of the trial during which the load balancer refuses every change. Empty: it is never down.
    pub down: Range<Duration>,
}

/// The error of a change while the load balancer is down.
#[derive(Debug, thiserror::Error)]
#[error("the load balancer is down")]
pub struct Down;

/// The load balancer. Clones share the same backends.
#[derive(Clone)]
pub struct Balancer {
    behaviour: Behaviour,
    journal: Journal,
    backends: Arc<Mutex<BTreeSet<String>>>,
}

impl Balancer {
    pub fn new(behaviour: Behaviour, journal: Journal) -> Self {
        Self { behaviour, journal, backends: Arc::default() }
    }

    /// Adds a backend. Succeeds without effect if the backend is already there.
    ///
    /// # Errors
    /// The load balancer is down.
    pub async fn add(&self, backend: &str) -> Result<(), Down> {
        self.change(backend, Backend::Added).await
    }

    /// Removes a backend. Succeeds without effect if there is no such backend.
    ///
    /// # Errors
    /// The load balancer is down.
    pub async fn remove(&self, backend: &str) -> Result<(), Down> {
        self.change(backend, Backend::Removed).await
    }

    /// Changes the backends after the time that a change takes. A change without effect is not written to the journal.
    async fn change(&self, backend: &str, change: Backend) -> Result<(), Down> {
        sleep(self.behaviour.takes).await;
        let refused = self.behaviour.down.contains(&self.journal.now());
        let mut backends = self.backends.lock().expect("nothing panics under this lock");
        // A refused change is written to the journal too, because the learner must see that it was tried.
        let is_noted = match change {
            _ if refused => true,
            Backend::Added => backends.insert(backend.to_owned()),
            Backend::Removed => backends.remove(backend),
        };
        drop(backends);
        if is_noted {
            self.journal.note(EntryKind::Balanced { backend: backend.to_owned(), change, refused });
        }
        if refused { Err(Down) } else { Ok(()) }
    }
}
