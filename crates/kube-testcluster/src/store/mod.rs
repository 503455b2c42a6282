//! The store: storage and the watch caches under one lock. All handlers read and write through it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use self::event::Event;
use self::expiry::Expiry;
use self::object::{Key, Object, Opened};
use self::page_counts::PageCounts;
use self::storage::Storage;
use self::watch_cache::{Audience, WatchCache};
use self::writes::{Write, WriteHook, WriteObserver};
use crate::faults::Active;
use crate::kinds::{Allocator, RESOURCES, Resource};
use crate::machinery::clock::Clock;
use crate::machinery::random::Random;
use crate::settings::Settings;

mod error;
pub(crate) mod event;
pub(crate) mod expiry;
pub(crate) mod filter;
pub(crate) mod object;
mod page_counts;
mod requester;
mod served_from;
pub(crate) mod storage;
mod summary;
pub(crate) mod watch_cache;
pub(crate) mod writes;

pub(crate) use self::error::StoreError;
pub(crate) use self::requester::Requester;
pub(crate) use self::served_from::ServedFrom;

/// How long a request waits for a revision in the future.
const FRESHNESS: Duration = Duration::from_secs(3);

/// The state of the server, shared by all requests.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) faults: Active,
    state: Mutex<StoreState>,
    /// Notifies those who wait for a revision that storage or a watch cache has advanced.
    moved: watch::Sender<()>,
    /// Permits for the watches of clients.
    watches: Arc<Semaphore>,
}

/// Everything that one write changes.
#[derive(Debug)]
pub(crate) struct StoreState {
    pub(crate) storage: Storage,
    caches: BTreeMap<&'static str, WatchCache>,
    pub(crate) random: Random,
    pub(crate) closed: bool,
    pub(crate) page_counts: PageCounts,
    expiry: Expiry,
    /// Of the kinds that have one, by plural.
    allocators: BTreeMap<&'static str, Box<dyn Allocator>>,
    /// Sees every write and what is stored after it, in order. `None` if no controllers run.
    hook: Option<Arc<dyn WriteHook>>,
    /// Is told of every write, in order.
    writes: WriteObserver,
    /// How many writes have begun and not ended: 0 but in the middle of a write, and after a panic there.
    open_writes: usize,
}

/// The result of a change.
#[derive(Debug)]
pub(crate) enum Next {
    /// No change: no revision is taken, and no event is sent.
    Keep,
    /// The new state. If it equals the old one, there is no change.
    Put(Value),
    /// The object is removed.
    Remove,
    /// The update has removed the last finalizer, so the object is removed. The response is the updated state.
    Release(Value),
}

/// Whether a write is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commit {
    Really,
    /// A dry run: everything is checked and answered, but nothing is stored.
    Pretend,
}

impl StoreState {
    pub(crate) fn cache(&mut self, resource: &Resource) -> &mut WatchCache {
        self.caches.get_mut(resource.plural).expect("every kind in the table has a watch cache")
    }

    /// Runs before each use of the state, so that no reader sees an expired revision and no timer is needed.
    fn forget_old(&mut self) {
        if let Some(oldest) = self.storage.forget_old() {
            self.caches.values_mut().for_each(|cache| cache.drop_snapshots(oldest));
        }
    }

    /// The revision that a source has reached, if it is below `revision`; otherwise `None`.
    pub(crate) fn revision_below(&self, revision: u64, resource: &Resource, from: ServedFrom) -> Option<u64> {
        let cache = self.caches.get(resource.plural).filter(|_| from == ServedFrom::WatchCache);
        let reached = cache.and_then(WatchCache::stopped_at).unwrap_or(self.storage.revision());
        Some(reached).filter(|reached| *reached < revision)
    }

    /// The watch cache of a kind, advanced to storage's revision, so that a read from it is consistent.
    pub(crate) fn fresh_cache(&mut self, resource: &Resource) -> &mut WatchCache {
        let revision = self.storage.revision();
        let cache = self.cache(resource);
        cache.progress(revision);
        cache
    }
}

impl StoreState {
    /// Fills in what no two objects of the kind may have.
    fn allocate(
        &self,
        resource: &'static Resource,
        key: &Key,
        new: &mut Value,
        old: Option<&Value>,
    ) -> Result<(), StoreError> {
        let Some(allocator) = self.allocators.get(resource.plural) else { return Ok(()) };
        let name = || key.name().to_owned();
        allocator.allocate(key.as_str(), new, old).map_err(|causes| StoreError::NotAllocated {
            resource,
            name: name(),
            causes,
        })
    }

    /// Tells the allocator of the kind what an object has now.
    fn record(&mut self, resource: &Resource, key: &Key, state: Option<&Value>) {
        if let Some(allocator) = self.allocators.get_mut(resource.plural) {
            allocator.record(key.as_str(), state);
        }
    }
}

impl Store {
    pub(crate) fn new(settings: Settings, clock: Clock) -> Self {
        let storage = Storage::new(settings.first_revision, settings.history, settings.history_age);
        let revision = storage.revision();
        let cache = |resource| WatchCache::new(resource, &settings, revision);
        let caches = RESOURCES.iter().map(|resource| (resource.plural, cache(resource))).collect();
        let allocator = |resource: &'static Resource| Some((resource.plural, resource.allocator?()));
        let state = StoreState {
            storage,
            caches,
            random: Random::new(settings.seed),
            closed: false,
            page_counts: PageCounts::default(),
            allocators: RESOURCES.iter().filter_map(allocator).collect(),
            hook: None,
            writes: WriteObserver::default(),
            open_writes: 0,
            expiry: Expiry::new(settings.event_ttl, settings.max_events),
        };
        let watches = Arc::new(Semaphore::new(settings.max_watches.min(Semaphore::MAX_PERMITS)));
        let (faults, moved) = (Active::default(), watch::Sender::new(()));
        Self { settings, clock, faults, state: Mutex::new(state), moved, watches }
    }

    /// Calls `hook` after every later write.
    pub(crate) fn set_hook(&self, hook: Arc<dyn WriteHook>) {
        self.lock().hook = Some(hook);
    }

    /// A panic of an earlier holder does not end the server: each change is computed before anything is written, and
    /// [`is_sound`](Self::is_sound) tells of a panic in the middle of a write.
    pub(crate) fn lock(&self) -> MutexGuard<'_, StoreState> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.forget_expired(&mut state);
        state.forget_old();
        state
    }

    /// Whether every write that began has ended, so that storage, the watch caches and the controllers' graph agree.
    pub(crate) fn is_sound(&self) -> bool {
        self.lock().open_writes == 0
    }

    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Object>> {
        self.lock().storage.get(resource, key)
    }

    /// Stores a new object, if `admit` agrees. What `admit` sees is still so when the object is stored.
    ///
    /// # Errors
    /// `AlreadyExists`, `NotAllocated`, or the error of `admit`.
    pub(crate) async fn create<E: From<StoreError>>(
        &self,
        resource: &'static Resource,
        key: Key,
        mut value: Value,
        commit: Commit,
        admit: impl FnOnce(&Storage) -> Result<(), E>,
    ) -> Result<Arc<Object>, E> {
        self.commit_latency().await;
        let mut state = self.lock();
        admit(&state.storage)?;
        if let Some(present) = state.storage.get(resource, &key) {
            let deleting = present.open()?.text("/metadata/deletionTimestamp").is_some();
            return Err(StoreError::AlreadyExists { resource, name: key.name().to_owned(), deleting }.into());
        }
        state.allocate(resource, &key, &mut value, None)?;
        match commit {
            Commit::Really => Ok(self.put(&mut state, resource, key, value)),
            Commit::Pretend => Ok(Arc::new(Object::unwritten(resource, key, &value))),
        }
    }

    /// Reads an object, changes it and writes it in one step; no other write can happen in between. Returns the state
    /// after the change; after a removal, the last state with the revision of the removal.
    ///
    /// # Errors
    /// `NotFound`, `NotAllocated`, or the error of `change`.
    pub(crate) async fn update<E: From<StoreError>>(
        &self,
        resource: &'static Resource,
        key: &Key,
        commit: Commit,
        change: impl FnOnce(&Opened) -> Result<Next, E>,
    ) -> Result<Arc<Object>, E> {
        self.commit_latency().await;
        let mut state = self.lock();
        let current = state.storage.get(resource, key).ok_or_else(|| StoreError::not_found(resource, key))?;
        let opened = current.open()?;
        let next = change(&opened)?;
        Ok(self.commit_in(&mut state, opened, commit, next)?)
    }

    /// The current state of an object, decoded without holding the lock, for a change that may take long to compute.
    /// [`commit`](Self::commit) writes the result.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn read(&self, resource: &'static Resource, key: &Key) -> Result<Opened, StoreError> {
        self.get(resource, key).ok_or_else(|| StoreError::not_found(resource, key))?.open()
    }

    /// Commits a change that was computed from `current` without holding the lock. Returns `None` if the object was
    /// written meanwhile: the change must be computed again, as in upstream's `GuaranteedUpdate`.
    ///
    /// # Errors
    /// `NotFound` if the object was removed meanwhile, or `NotAllocated`.
    pub(crate) fn commit(
        &self,
        current: Opened,
        commit: Commit,
        next: Next,
    ) -> Result<Option<Arc<Object>>, StoreError> {
        let mut state = self.lock();
        match state.storage.get(current.resource, &current.key) {
            None => Err(StoreError::not_found(current.resource, &current.key)),
            Some(stored) if stored.revision != current.revision => Ok(None),
            Some(_) => self.commit_in(&mut state, current, commit, next).map(Some),
        }
    }

    /// Commits a change of the object's current state.
    fn commit_in(
        &self,
        state: &mut StoreState,
        opened: Opened,
        commit: Commit,
        mut next: Next,
    ) -> Result<Arc<Object>, StoreError> {
        let current = opened.object().clone();
        let (resource, key) = (current.resource, &current.key);
        let before = |value| Arc::new(Object::new(resource, key.clone(), current.revision, value));
        if let Next::Put(value) = &mut next {
            state.allocate(resource, key, value, Some(&opened.value))?;
        }
        if commit == Commit::Pretend {
            return Ok(match next {
                Next::Keep | Next::Remove => current.clone(),
                Next::Put(value) | Next::Release(value) => before(value),
            });
        }
        match next {
            Next::Keep => Ok(current.clone()),
            Next::Put(mut value) => {
                value["metadata"]["resourceVersion"] = opened.value["metadata"]["resourceVersion"].clone();
                let changed = value != opened.value;
                Ok(if changed { self.put(state, resource, key.clone(), value) } else { current.clone() })
            }
            Next::Remove => Ok(Arc::new(current.at(self.remove(state, resource, key))?)),
            Next::Release(value) => {
                self.remove(state, resource, key);
                Ok(before(value))
            }
        }
    }

    fn remove(&self, state: &mut StoreState, resource: &'static Resource, key: &Key) -> u64 {
        state.open_writes += 1;
        state.expiry.forget(resource, key);
        let event = state.storage.remove(resource, key).expect("it was there under the same lock");
        let revision = event.revision;
        state.record(resource, key, None);
        self.publish(state, event);
        revision
    }

    /// Tells `writes` of the objects that exist, and from now on of every write.
    pub(crate) fn observe(&self, writes: WriteObserver) {
        let mut state = self.lock();
        for resource in &RESOURCES {
            let existing = state.storage.range(resource, Key::from_start(String::new()), None);
            existing.into_iter().flatten().for_each(|object| writes.tell(|| Write::existing(object)));
        }
        state.writes = writes;
    }

    /// Stores a new or changed object and notifies the watchers.
    pub(crate) fn put(
        &self,
        state: &mut StoreState,
        resource: &'static Resource,
        key: Key,
        value: Value,
    ) -> Arc<Object> {
        state.open_writes += 1;
        state.record(resource, &key, Some(&value));
        let event = state.storage.put(resource, key, value);
        let object = event.object().clone();
        state.expiry.note(&object);
        self.publish(state, event);
        object
    }

    /// Waits until storage, or the watch cache of a kind, has reached a revision.
    ///
    /// # Errors
    /// `TooLargeResourceVersion` after three seconds.
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
        below().map_or(Ok(()), |current| Err(StoreError::TooLargeResourceVersion { asked: revision, current }))
    }

    /// Drops all earlier states, as etcd's compaction does. The watch caches keep their events, and can still replay
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

    /// A permit for one more watch, to be held while it is open.
    ///
    /// # Errors
    /// `TooManyWatches` if the limit is reached.
    pub(crate) fn watch_permit(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        let limit = self.settings.max_watches;
        self.watches.clone().try_acquire_owned().map_err(|_| StoreError::TooManyWatches { limit })
    }

    /// Ends the clients' watches of a kind, or of all kinds.
    pub(crate) fn drop_watches(&self, plural: Option<&str>) {
        let mut state = self.lock();
        let meant = |cache: &&str| plural.is_none_or(|plural| plural == *cache);
        state.caches.iter_mut().filter(|(cache, _)| meant(cache)).for_each(|(_, cache)| cache.drop_clients());
    }

    /// Stops or resumes the watch caches according to the active faults.
    pub(crate) fn update_caches(&self) {
        let mut state = self.lock();
        for resource in &RESOURCES {
            let lags = self.faults.lags(resource);
            state.cache(resource).set_stopped(lags);
        }
        self.moved.send_replace(());
    }

    /// Ends all watches. Later ones end after their initial events.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.caches.values_mut().for_each(WatchCache::close);
    }

    /// Waits as long as a write takes in storage.
    pub(crate) async fn commit_latency(&self) {
        if !self.settings.commit_latency.is_zero() {
            tokio::time::sleep(self.settings.commit_latency).await;
        }
    }

    fn publish(&self, state: &mut StoreState, event: Event) {
        let resource = event.object().resource;
        if let Some(hook) = &state.hook {
            hook.after_write(&event, &state.storage);
        }
        let audience = if self.faults.hides(resource) { Audience::Kubelet } else { Audience::Everyone };
        state.writes.tell(|| Write::new(&event, audience == Audience::Kubelet));
        state.cache(resource).take(Arc::new(event), audience);
        state.open_writes -= 1;
        self.moved.send_replace(());
    }
}
