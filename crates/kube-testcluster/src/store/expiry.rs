//! Objects that are forgotten after a while: Events. Upstream gives their keys a lease of etcd (`--event-ttl`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::object::{Key, Object};
use super::storage::Storage;
use super::{Store, StoreState};
use crate::kinds::{Lifetime, Resource};

/// The writes of objects that expire, in their order. Each write of an object begins its time again.
#[derive(Debug)]
pub(super) struct Expiry {
    ttl: Duration,
    /// How many writes are remembered. What was written before them expires early, so that Events cannot fill the memory.
    most: usize,
    writes: VecDeque<Expiring>,
    /// Is told when there is a write again.
    begun: Arc<Notify>,
}

#[derive(Debug)]
struct Expiring {
    at: Instant,
    resource: &'static Resource,
    key: Key,
    revision: u64,
}

impl Expiry {
    pub(super) fn new(ttl: Duration, most: usize) -> Self {
        Self { ttl, most, writes: VecDeque::new(), begun: Arc::default() }
    }

    pub(super) fn note(&mut self, object: &Object) {
        let (resource, key, revision) = (object.resource, object.key.clone(), object.revision);
        if let (Lifetime::Short, Some(at)) = (resource.strategy.lifetime, Instant::now().checked_add(self.ttl)) {
            if self.writes.is_empty() {
                self.begun.notify_one();
            }
            self.writes.push_back(Expiring { at, resource, key, revision });
        }
    }

    /// The next object whose time is over. One that was written again, or removed, has no time from that write.
    fn take(&mut self, now: Instant, storage: &Storage) -> Option<(&'static Resource, Key)> {
        while self.writes.len() > self.most || self.next().is_some_and(|at| at <= now) {
            let Expiring { resource, key, revision, .. } = self.writes.pop_front()?;
            if storage.get(resource, &key).is_some_and(|object| object.revision == revision) {
                return Some((resource, key));
            }
        }
        None
    }

    fn next(&self) -> Option<Instant> {
        self.writes.front().map(|write| write.at)
    }
}

impl Store {
    /// Removes what has expired, and tells the watchers.
    pub(super) fn forget_expired(&self, state: &mut StoreState) {
        if state.expiry.writes.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some((resource, key)) = state.expiry.take(now, &state.storage) {
            self.remove(state, resource, &key);
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
