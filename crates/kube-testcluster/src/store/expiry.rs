//! Objects that are forgotten after a while: Events. Upstream gives their keys a lease of etcd (`--event-ttl`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::event::Event;
use super::object::Object;
use super::{Store, StoreState};
use kube_machinery::kinds::Lifetime;

/// The objects that expire, by the revision of their last write: the one that was written first is the next. Each write of
/// an object begins its time again.
#[derive(Debug)]
pub(super) struct Expiry {
    ttl: Duration,
    /// How many objects are kept. The oldest beyond them expire early, so that Events cannot fill the memory.
    most: usize,
    objects: BTreeMap<u64, Expiring>,
    /// Is told when there is an object again.
    begun: Arc<Notify>,
}

#[derive(Debug)]
struct Expiring {
    /// `None`: only others can drive it out.
    at: Option<Instant>,
    object: Arc<Object>,
}

impl Expiry {
    pub(super) fn new(ttl: Duration, most: usize) -> Self {
        Self { ttl, most, objects: BTreeMap::new(), begun: Arc::default() }
    }

    pub(super) fn note(&mut self, write: &Event) {
        if write.object().resource.strategy.lifetime != Lifetime::Short {
            return;
        }
        if let Some(previous) = &write.previous {
            self.objects.remove(&previous.revision);
        }
        let Some(object) = write.current.clone() else { return };
        if self.objects.is_empty() {
            self.begun.notify_one();
        }
        let at = Instant::now().checked_add(self.ttl);
        self.objects.insert(object.revision, Expiring { at, object });
    }

    /// The next object whose time is over, or that is one too many.
    fn due(&self, now: Instant) -> Option<Arc<Object>> {
        let (_, oldest) = self.objects.first_key_value()?;
        let over = self.objects.len() > self.most || oldest.at.is_some_and(|at| at <= now);
        over.then(|| oldest.object.clone())
    }

    fn next(&self) -> Option<Instant> {
        self.objects.first_key_value()?.1.at
    }
}

impl Store {
    /// Removes what has expired, and tells the watchers.
    pub(super) fn forget_expired(&self, state: &mut StoreState) {
        if state.expiry.objects.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(object) = state.expiry.due(now) {
            self.remove(state, object.resource, &object.key);
        }
    }
}

/// Uses the store when the next object expires, so that watchers are told also if nobody else uses it.
pub(crate) async fn run(store: Arc<Store>, stop: CancellationToken) {
    let begun = store.lock().expiry.begun.clone();
    loop {
        let next = store.lock().expiry.next();
        let due = async {
            match next {
                Some(at) => tokio::time::sleep_until(at).await,
                None => begun.notified().await,
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = due => {}
        }
    }
}
