//! The store: storage (the counterpart of etcd) and the watch caches (one for each kind, between storage and the
//! watches), under one lock. All handlers and controllers read and write through it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc, watch};

use self::admission_configuration::ConfigurationCache;
use self::definitions::RefreshDefinitions;
use self::documents::Documents;
use self::event::Event;
use self::expiry::Expiry;
use self::history_bytes::HistoryBytes;
use self::object::{Key, Object};
use self::page_counts::PageCounts;
use self::reservation::Allocators;
use self::storage::Storage;
use self::wal::Wal;
use self::watch_cache::{Followed, WatchCache};
use self::writes::{Write, WriteHook, WriteObserver};
use crate::faults::Active;
use crate::plugins::admit::Plugins;
use crate::plugins::authorization::Authorize;
use crate::settings::Settings;
use kube_controllers::clock::Clock;
use kube_machinery::conventions::random::Random;
use kube_machinery::kinds::{Catalog, GroupResource, RESOURCES, Resource};

mod admission_configuration;
mod commit;
pub(crate) mod companion;
mod definitions;
mod documents;
mod error;
pub(crate) mod event;
pub(crate) mod event_queue;
pub(crate) mod expiry;
pub(crate) mod filter;
mod history_bytes;
pub(crate) mod initial_events;
mod locked;
pub(crate) mod object;
mod packed_text;
pub(crate) mod packing;
mod page_counts;
mod requester;
mod reservation;
mod restore;
mod served_from;
pub(crate) mod snapshot;
pub(crate) mod storage;
mod summary;
pub(crate) mod wal;
pub(crate) mod watch_cache;
pub(crate) mod watch_event;
pub(crate) mod writes;

pub(crate) use self::commit::{Commit, Next};
pub(crate) use self::error::StoreError;
pub(crate) use self::requester::Requester;
pub(crate) use self::served_from::ServedFrom;

/// The longest time that a request waits for a revision in the future.
const FRESHNESS: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) faults: Active,
    state: Mutex<StoreState>,
    /// Locked last: no other lock is taken while it is held.
    random: Mutex<Random>,
    allocators: Allocators,
    /// The kinds that are served. It is replaced under the lock of `state`, and read without that lock.
    catalog: RwLock<Arc<Catalog>>,
    /// The OpenAPI documents of the catalog's custom resources, as far as clients have asked for them.
    documents: Documents,
    /// The webhook configurations and admission policies. They are replaced under the lock of `state`, and read without
    /// that lock.
    admission_configuration: ConfigurationCache,
    /// The admission plugins of the program that embeds the cluster.
    pub(crate) plugins: Plugins,
    /// The authorizer. Without one, every user may do everything.
    pub(crate) authorizer: OnceLock<Arc<dyn Authorize>>,
    /// The controller of definitions, for [`refresh_definitions`](Self::refresh_definitions).
    pub(crate) definition_controller: OnceLock<RefreshDefinitions>,
    /// Wakes the controller that finalizes CustomResourceDefinitions: a definition is being deleted, or an object was
    /// removed whose definition waits for that.
    pub(crate) terminations: Notify,
    /// Notified when storage or a watch cache has advanced, for requests that wait for a revision.
    moved: watch::Sender<()>,
    /// One permit for each watch that clients may have open.
    watches: Arc<Semaphore>,
    /// The write-ahead log; unset if the cluster keeps its data in memory only.
    wal: OnceLock<Wal>,
    /// The key that signs service account tokens. It is unset without a TLS listener; tokens then have only a checksum.
    #[cfg(feature = "tls")]
    pub(crate) key_of_tokens: OnceLock<ring::hmac::Key>,
    /// The certificate of the authority that signs for the cluster, for programs that get a service account's token. It
    /// is unset until a TLS listener brings an authority.
    #[cfg(feature = "tls")]
    pub(crate) root_ca: OnceLock<String>,
}

/// The state that writes change.
#[derive(Debug)]
pub(crate) struct StoreState {
    pub(crate) storage: Storage,
    caches: BTreeMap<GroupResource, WatchCache>,
    /// The number from which the watchers of a new cache are counted. No watcher of a dropped cache has a higher
    /// number, so the end of an old watch does not end a new one.
    first_watcher: u64,
    /// True after [`Store::close`]. A new watch then ends after its initial events.
    pub(crate) closed: bool,
    pub(crate) page_counts: PageCounts,
    expiry: Expiry,
    history_bytes: HistoryBytes,
    /// Called after every write, in order. `None` if no controllers run.
    hook: Option<Arc<dyn WriteHook>>,
    /// Called for every write, in order, for a program that observes the cluster.
    writes: WriteObserver,
    /// Events that writes have pushed out of the histories. They are freed after unlocking.
    forgotten: Vec<Arc<Event>>,
    /// The number of writes that have begun and not ended. It is 0 except in the middle of a write, and after a panic
    /// there.
    open_writes: usize,
}

impl StoreState {
    /// Returns the watch cache of a kind.
    ///
    /// # Errors
    /// `NotServed` if the kind's definition was deleted after the request had come.
    pub(crate) fn cache(&mut self, resource: &Resource) -> Result<&mut WatchCache, StoreError> {
        self.caches.get_mut(&resource.group_resource()).ok_or(StoreError::NotServed)
    }

    /// Returns the current objects of a kind in key order, their version, and a stream of all later events. The stream
    /// ends with the kind's definition.
    pub(crate) fn follow(&mut self, resource: &Resource) -> Followed {
        match self.fresh_cache(resource) {
            Ok(cache) => cache.follow(),
            Err(_) => (Vec::new(), self.storage.revision(), mpsc::unbounded_channel().1),
        }
    }

    /// Ends the watches of a kind, and forgets what its watch cache has.
    fn drop_cache(&mut self, resource: &Resource) {
        if let Some(cache) = self.caches.remove(&resource.group_resource()) {
            self.first_watcher = self.first_watcher.max(cache.last_watcher());
        }
    }

    /// Returns the number of kinds that have a watch cache.
    #[cfg(test)]
    pub(crate) fn kinds_with_a_cache(&self) -> usize {
        self.caches.len()
    }

    /// Compacts states that are too old. It runs whenever the state is locked, so that no reader sees an expired
    /// revision and no timer is needed.
    fn forget_old(&mut self) {
        if let Some(oldest) = self.storage.forget_old() {
            self.caches.values_mut().for_each(|cache| cache.drop_snapshots(oldest));
        }
    }

    /// Drops the history up to a revision, in storage and in all watch caches, because it has become too large.
    fn forget_history(&mut self, revision: u64) {
        self.storage.compact(revision);
        for cache in self.caches.values_mut() {
            self.forgotten.extend(cache.forget(revision));
        }
    }

    /// Returns the revision that the source has reached if that is below `revision`, otherwise `None`.
    pub(crate) fn revision_below(&self, revision: u64, resource: &Resource, from: ServedFrom) -> Option<u64> {
        let cache = self.caches.get(&resource.group_resource()).filter(|_| from == ServedFrom::WatchCache);
        let reached = cache.and_then(WatchCache::stopped_at).unwrap_or(self.storage.revision());
        Some(reached).filter(|reached| *reached < revision)
    }

    /// Returns the watch cache of a kind, advanced to storage's revision, so that a read from it is consistent.
    ///
    /// # Errors
    /// As [`cache`](Self::cache).
    pub(crate) fn fresh_cache(&mut self, resource: &Resource) -> Result<&mut WatchCache, StoreError> {
        let revision = self.storage.revision();
        let cache = self.cache(resource)?;
        cache.progress(revision);
        Ok(cache)
    }
}

impl Store {
    pub(crate) fn new(settings: Settings, clock: Clock) -> Self {
        let storage = Storage::new(settings.first_revision, settings.history, settings.history_age);
        let revision = storage.revision();
        let cache = |resource| WatchCache::new(resource, &settings, revision, 0);
        let caches = RESOURCES.iter().map(|resource| (resource.group_resource(), cache(resource))).collect();
        let state = StoreState {
            storage,
            caches,
            first_watcher: 0,
            closed: false,
            page_counts: PageCounts::default(),
            hook: None,
            writes: WriteObserver::default(),
            forgotten: Vec::new(),
            open_writes: 0,
            expiry: Expiry::new(settings.event_ttl, settings.max_events),
            history_bytes: HistoryBytes::new(settings.history_bytes),
        };
        let watches = Arc::new(Semaphore::new(settings.max_watches.min(Semaphore::MAX_PERMITS)));
        let (faults, moved) = (Active::default(), watch::Sender::new(()));
        let allocators = Allocators::new();
        let (catalog, terminations) = (RwLock::default(), Notify::new());
        let random = Mutex::new(Random::new(settings.seed));
        Self {
            settings,
            clock,
            faults,
            state: Mutex::new(state),
            random,
            allocators,
            catalog,
            documents: Documents::default(),
            admission_configuration: ConfigurationCache::default(),
            plugins: Plugins::default(),
            definition_controller: OnceLock::new(),
            terminations,
            authorizer: OnceLock::new(),
            moved,
            watches,
            wal: OnceLock::new(),
            #[cfg(feature = "tls")]
            key_of_tokens: OnceLock::new(),
            #[cfg(feature = "tls")]
            root_ca: OnceLock::new(),
        }
    }

    /// Makes the store call `hook` after every later write.
    pub(crate) fn set_hook(&self, hook: Arc<dyn WriteHook>) {
        self.lock().hook = Some(hook);
    }

    /// Locks the random generator. It has its own lock, so that making a uid does not wait for the store.
    pub(crate) fn random(&self) -> MutexGuard<'_, Random> {
        self.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if every write that began has ended, so storage, the watch caches and the controllers' graph agree,
    /// and the write-ahead log works.
    pub(crate) fn is_sound(&self) -> bool {
        self.lock().open_writes == 0 && !self.wal.get().is_some_and(Wal::refuses)
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Object>> {
        self.lock().storage.get(resource, key)
    }

    /// Returns the revision of the last write to any kind except `plurals`. `TestCluster::settled` waits until it no
    /// longer changes.
    pub(crate) fn last_write_but(&self, plurals: &[&str]) -> u64 {
        let state = self.lock();
        let counted = state.caches.iter().filter(|(kind, _)| !plurals.contains(&kind.plural()));
        counted.map(|(_, cache)| cache.last_write()).max().unwrap_or_default()
    }

    /// Returns the revision of the last write to a kind.
    pub(crate) fn last_write_of(&self, resource: &Resource) -> u64 {
        self.lock().cache(resource).map_or(0, |cache| cache.last_write())
    }

    /// Names the object that was written at a revision, as `plural namespace/name`.
    pub(crate) fn last_written(&self, revision: u64) -> String {
        let state = self.lock();
        let written = state.storage.all().find(|object| object.revision == revision);
        written.map_or_else(|| "a removal".to_owned(), |object| format!("{} {}", object.resource.plural(), object.key))
    }

    /// Reports the existing objects to `writes`, and from now on every write.
    pub(crate) fn observe(&self, writes: WriteObserver) {
        let mut state = self.lock();
        for resource in self.catalog().stored() {
            state.storage.of_kind(resource).for_each(|object| writes.notify(|| Write::existing(object)));
        }
        state.writes = writes;
    }

    /// Waits until storage, or the watch cache of the kind, has reached a revision.
    /// The error is `TooLargeResourceVersion` after three seconds.
    pub(crate) async fn wait_for(
        &self,
        revision: u64,
        resource: &Resource,
        from: ServedFrom,
    ) -> Result<(), StoreError> {
        let mut moved = self.moved.subscribe();
        let below = || self.lock().revision_below(revision, resource, from);
        let reached = async {
            while below().is_some() {
                moved.changed().await.expect("the sender lives as long as the store");
            }
        };
        if tokio::time::timeout(FRESHNESS, reached).await.is_ok() {
            return Ok(());
        }
        below().map_or(Ok(()), |current| Err(StoreError::TooLargeResourceVersion { requested: revision, current }))
    }

    /// Drops all earlier states, as etcd's compaction does. The watch caches keep their events and can still replay
    /// them.
    pub(crate) fn compact(&self) {
        let mut state = self.lock();
        let revision = state.storage.revision();
        state.storage.compact(revision);
        for cache in state.caches.values_mut() {
            cache.drop_snapshots(revision);
        }
    }

    /// Restarts the watch caches from the current state, as a restart of the server does.
    pub(crate) fn restart(&self) {
        let mut state = self.lock();
        let revision = state.storage.revision();
        for cache in state.caches.values_mut() {
            cache.reset(revision);
        }
        self.moved.send_replace(());
    }

    /// Takes a permit for one more watch, to be held while it is open. Fails with `TooManyWatches` at the limit.
    pub(crate) fn watch_permit(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let limit = self.settings.max_watches;
        self.watches.clone().try_acquire_owned().map_err(|_| StoreError::TooManyWatches { limit })
    }

    /// Ends the clients' watches of a kind, or of all kinds for `None`.
    pub(crate) fn drop_watches(&self, plural: Option<&str>) {
        let mut state = self.lock();
        let meant = |kind: &GroupResource| plural.is_none_or(|plural| plural == kind.plural());
        state.caches.iter_mut().filter(|(kind, _)| meant(kind)).for_each(|(_, cache)| cache.drop_clients());
    }

    /// Stops or resumes the watch caches according to the active faults.
    pub(crate) fn update_caches(&self) {
        let mut state = self.lock();
        for resource in self.catalog().stored() {
            let lags = self.faults.lags(resource);
            if let Ok(cache) = state.cache(resource) {
                if lags { cache.stop() } else { cache.resume() }
            }
        }
        self.moved.send_replace(());
    }

    /// Ends all watches. A watch that begins later ends after its initial events.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.caches.values_mut().for_each(WatchCache::close);
    }

    /// Writes the rest of the write-ahead log to the disk and unlocks its folder.
    pub(crate) fn close_wal(&self) {
        if let Some(wal) = self.wal.get() {
            wal.close();
        }
    }
}
