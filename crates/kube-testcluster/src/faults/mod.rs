//! Faults on demand: what can go wrong between a client and an API server, started by a program, a scenario or a request.
//!
//! A [`Fault`] is an [`Effect`], whom it meets and how long it goes on; it is also a text ([`Fault::from_str`]), which
//! is the same in scenario files, on the command line and in requests to the admin path.
//!
//! Faults meet clients. The kubelet, which belongs to the cluster, is spared; only a watch cache that stands still keeps its
//! news from the kubelet too. Discovery, `/version` and the health checks always answer.
//!
//! [`Fault::from_str`]: std::str::FromStr::from_str

mod active;
pub(crate) mod admin;
mod asker;
mod cut;
mod effect;
mod fault;
mod requests;
mod text;
mod verb;

use std::sync::Arc;

pub use self::effect::Effect;
pub use self::fault::Fault;
pub use self::text::BadFault;
pub use self::verb::Verb;

pub(crate) use self::active::Active;
pub(crate) use self::asker::Asker;
pub(crate) use self::cut::cuttable;
pub(crate) use self::requests::meet;
pub(crate) use self::verb::About;

use super::store::Store;

/// The faults of one cluster. Clones are handles of the same.
#[derive(Clone, Debug)]
pub struct Faults {
    store: Arc<Store>,
}

impl Faults {
    pub(crate) fn of(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Lets something go wrong from now on. Faults add up; of two that would answer the same request, the older does.
    ///
    /// # Panics
    /// Outside a tokio runtime, if a watch cache is to stand still for a period.
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

    /// Ends every fault. Watch caches that stood still catch up; what was hidden or dropped stays so.
    pub fn end_all(&self) {
        self.store.faults.clear();
        self.store.update_caches();
    }

    /// The faults that go on, in the order in which they were started, with what is left of them.
    pub fn active(&self) -> Vec<Fault> {
        self.store.faults.list()
    }

    fn wake_caches_at(&self, until: tokio::time::Instant) {
        let store = Arc::downgrade(&self.store); // a cluster that is gone needs no news
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            if let Some(store) = store.upgrade() {
                store.update_caches();
            }
        });
    }
}
