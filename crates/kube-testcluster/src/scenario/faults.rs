//! The public handle [`Faults`] (of `Cluster::faults`): starts and ends the faults of a cluster. Some effects happen at
//! once, here; the others are added to the active faults, which the server asks for each request.

use std::sync::Arc;

use crate::faults::{Effect, Fault};
use crate::store::Store;

/// The faults of one cluster. Clones refer to the same cluster.
#[derive(Clone, Debug)]
pub struct Faults {
    store: Arc<Store>,
}

impl Faults {
    pub(crate) fn of(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Starts a fault. Several faults can be active. If two would answer the same request, the older one does.
    ///
    /// # Panics
    /// Outside a tokio runtime, if the fault is a `lag` with a period.
    pub fn start(&self, fault: Fault) {
        tracing::debug!(%fault, "a fault begins");
        let resource = fault.only.as_deref();
        match fault.effect {
            Effect::DropWatches => self.store.drop_watches(resource),
            Effect::Compact => {
                self.store.compact();
                self.store.restart();
            }
            Effect::Lag => {
                let until = self.store.faults.add(fault);
                self.store.update_caches();
                if let Some(until) = until {
                    self.wake_caches_at(until);
                }
            }
            _ => drop(self.store.faults.add(fault)),
        }
    }

    /// Ends every fault. Watch caches that were held back catch up. Hidden events stay hidden, and dropped watches stay
    /// dropped.
    pub fn end_all(&self) {
        self.store.faults.clear();
        self.store.update_caches();
    }

    /// Returns the active faults in the order in which they were started, each with its remaining number and time.
    pub fn active(&self) -> Vec<Fault> {
        self.store.faults.list()
    }

    /// Resumes the watch caches when a `lag` ends.
    fn wake_caches_at(&self, until: tokio::time::Instant) {
        let store = Arc::downgrade(&self.store); // the timer must not keep a dropped cluster alive
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            if let Some(store) = store.upgrade() {
                store.update_caches();
            }
        });
    }
}
