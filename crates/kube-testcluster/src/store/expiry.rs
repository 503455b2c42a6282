//! Removes objects of kinds with a short lifetime (the kind Event) after a while (`--event-ttl`, an hour by default),
//! so that they cannot fill the memory. Upstream gives their keys a lease in etcd.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::event::Event;
use super::object::Object;
use super::wal::Wal;
use super::{Store, StoreState};
use kube_machinery::kinds::Lifetime;

/// The objects that expire, by the revision of their last write, so the first entry expires next. Each write of an
/// object restarts its time.
#[derive(Debug)]
pub(super) struct Expiry {
    ttl: Duration,
    /// The largest number of objects kept. Beyond it, the oldest objects expire early, so that Events cannot fill the
    /// memory.
    most: usize,
    objects: BTreeMap<u64, Expiring>,
    /// Notified when the first object is added, because `run` then has a time to wait for.
    begun: Arc<Notify>,
}

#[derive(Debug)]
struct Expiring {
    /// `None` if the time to live is practically endless. Then the object is removed only when there are too many.
    at: Option<Instant>,
    object: Arc<Object>,
}

impl Expiry {
    pub(super) fn new(ttl: Duration, most: usize) -> Self {
        Self { ttl, most, objects: BTreeMap::new(), begun: Arc::default() }
    }

    /// Starts, restarts or ends the time of the object that was written. Called for every write.
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

    /// Returns the oldest object if its time is over or there are too many objects.
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
    /// Removes the objects whose time is over, and the oldest ones if there are too many.
    pub(super) fn forget_expired(&self, state: &mut StoreState) {
        // While the log refuses writes, no object can be removed, and no new ones come that could fill the memory.
        if state.expiry.objects.is_empty() || self.wal.get().is_some_and(Wal::refuses) {
            return;
        }
        let now = Instant::now();
        while let Some(object) = state.expiry.due(now) {
            self.remove(state, &object.resource, &object.key);
        }
    }
}

/// Locks the store whenever the next object expires. Taking the lock removes expired objects, so without this task an
/// idle cluster would not notify its watchers in time.
pub(crate) async fn run(store: Arc<Store>, stop: CancellationToken) {
    let begun = store.lock().expiry.begun.clone();
    loop {
        let next = store.lock().expiry.next();
        let due = async {
            match next {
                Some(at) => tokio::time::sleep_until(at).await,
                None => begun.notified().await,
            }
            store.until_writable().await;
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = due => {}
        }
    }
}
