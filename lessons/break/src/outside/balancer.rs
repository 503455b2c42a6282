//! A load balancer: a set of backends that a program keeps like the cluster.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::sleep;

use crate::journal::{Backend, Journal, What};

/// How a load balancer behaves.
#[derive(Clone, Debug, Default)]
pub struct Manners {
    /// How long each change takes.
    pub takes: Duration,
    /// When it is down and refuses every change; an empty range is never.
    pub down: Range<Duration>,
}

/// The load balancer is down.
#[derive(Debug, thiserror::Error)]
#[error("the load balancer is down")]
pub struct Down;

/// The load balancer. Clones are the same one.
#[derive(Clone)]
pub struct Balancer {
    manners: Manners,
    journal: Journal,
    backends: Arc<Mutex<BTreeSet<String>>>,
}

impl Balancer {
    pub fn new(manners: Manners, journal: Journal) -> Self {
        Self { manners, journal, backends: Arc::default() }
    }

    /// Sends requests to this backend too. That it already does is no error.
    ///
    /// # Errors
    /// It is down.
    pub async fn add(&self, backend: &str) -> Result<(), Down> {
        self.change(backend, Backend::Added).await
    }

    /// Sends no requests to this backend any more. That it never did is no error.
    ///
    /// # Errors
    /// It is down.
    pub async fn remove(&self, backend: &str) -> Result<(), Down> {
        self.change(backend, Backend::Removed).await
    }

    async fn change(&self, backend: &str, change: Backend) -> Result<(), Down> {
        sleep(self.manners.takes).await;
        let refused = self.manners.down.contains(&self.journal.now());
        let mut backends = self.backends.lock().expect("nothing panics under this lock");
        let news = match change {
            _ if refused => true,
            Backend::Added => backends.insert(backend.to_owned()),
            Backend::Removed => backends.remove(backend),
        };
        drop(backends);
        if news {
            self.journal.note(What::Balanced { backend: backend.to_owned(), change, refused });
        }
        if refused { Err(Down) } else { Ok(()) }
    }
}
