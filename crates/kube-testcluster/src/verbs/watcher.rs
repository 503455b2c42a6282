//! Runs one watch, as a stream of events: sends the initial events, then each change, and bookmarks from time to
//! time, until the timeout, or until the client leaves or is too slow. Upstream: `cacheWatcher`.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::http::answer::Events;
use crate::http::status::ApiError;
use crate::store::Requester;
use crate::store::ServedFrom;
use crate::store::StoreError;
use crate::store::event_queue::EventReceiver;
use crate::store::filter::Filter;
use crate::store::initial_events::InitialEvents;
use crate::store::object::Key;
use crate::store::watch_event::WatchEvent;
use crate::store::{Store, StoreState};
use kube_machinery::kinds::Resource;

/// The time before the timeout at which a watch gets its last bookmark.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);

/// The events that a watch begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Begins with the current objects as ADDED events; changes follow.
    State {
        /// The least revision of the current objects. The watch waits for it.
        fresh: Option<u64>,
        /// True if a bookmark marks the end of the initial events.
        end: bool,
    },
    /// Begins with the changes after a revision, which may be in the future.
    After(u64),
    /// Begins with the changes from now on.
    Now,
}

/// A watch that has not started yet.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) resource: Resource,
    pub(crate) filter: Filter,
    pub(crate) start: Start,
    pub(crate) bookmarks: bool,
    pub(crate) duration: Duration,
    pub(crate) requester: Requester,
}

/// A watch that has started.
struct Stream {
    store: Arc<Store>,
    watch: Watch,
    /// The timers are kept from event to event, because setting a timer takes a lock that all timers share.
    deadline: Pin<Box<Sleep>>,
    next_bookmark: Option<Pin<Box<Sleep>>>,
    phase: Phase,
    /// Released when the client stops reading.
    _permit: Option<OwnedSemaphorePermit>,
}

enum Phase {
    /// The watch waits for the revision that the client asked for.
    Waiting(u64),
    Running {
        first: InitialEvents,
        /// `None` if the stream ends after `first`.
        live: Option<Subscription>,
    },
}

impl Phase {
    /// Returns a stream with a single ERROR event.
    fn refused(error: &ApiError) -> Self {
        Self::Running { first: InitialEvents::default().ending_with(Some(error.event())), live: None }
    }
}

/// A watcher of the watch cache, removed from it on drop.
struct Subscription {
    store: Arc<Store>,
    resource: Resource,
    id: u64,
    events: EventReceiver,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Ok(cache) = self.store.lock().cache(&self.resource) {
            cache.unsubscribe(self.id);
        }
    }
}

/// The changes of one object, for handlers that wait for them.
pub(super) struct Changes(Subscription);

impl Changes {
    /// Subscribes to the changes from now on.
    pub(super) fn of(store: &Arc<Store>, resource: &Resource, key: &Key) -> Result<Self, StoreError> {
        let mut state = store.lock();
        let cache = state.cache(resource)?;
        let (id, events) = cache.subscribe(Filter::of_object(key), cache.version(), Requester::Cluster);
        Ok(Self(Subscription { store: store.clone(), resource: resource.clone(), id, events }))
    }

    /// Waits for a change, or for the end of the server.
    pub(super) async fn next(&mut self) {
        self.0.events.recv().await;
    }
}

impl Watch {
    /// Returns the events of the watch. The watch starts at once, before an event is read, unless it must wait for a
    /// revision.
    pub(crate) fn events(self, store: &Arc<Store>, permit: Option<OwnedSemaphorePermit>) -> Events {
        if self.duration.is_zero() {
            return Box::pin(stream::empty()); // a negative timeout has become zero: the watch ends before it begins
        }
        let deadline = Instant::now() + self.duration;
        let phase = {
            let mut state = store.lock();
            match self.start {
                Start::State { fresh: Some(revision), .. } if self.must_wait(&state, revision) => {
                    Phase::Waiting(revision)
                }
                _ => self.begin(store, &mut state),
            }
        };
        let deadline = Box::pin(sleep_until(deadline));
        let mut stream = Box::new(Stream {
            store: store.clone(),
            watch: self,
            deadline,
            next_bookmark: None,
            phase,
            _permit: permit,
        });
        // As upstream, only the watch cache sends periodic bookmarks. A watch from storage has only the bookmark after
        // the initial events.
        if stream.watch.bookmarks && stream.watch.resource.cached {
            stream.set_bookmark(Instant::now());
        }
        Box::pin(stream::unfold(stream, |mut stream| async move { stream.next().await.map(|event| (event, stream)) }))
    }

    /// Returns true if the watch cache has not reached the revision yet.
    fn must_wait(&self, state: &StoreState, revision: u64) -> bool {
        self.resource.cached && state.revision_below(revision, &self.resource, ServedFrom::WatchCache).is_some()
    }

    /// Takes the initial events and subscribes to later ones, under one lock, so that no event is missed between them.
    fn begin(&self, store: &Arc<Store>, state: &mut StoreState) -> Phase {
        let closed = state.closed;
        if let Start::State { fresh: Some(requested), .. } = self.start
            && let Some(current) = state.revision_below(requested, &self.resource, ServedFrom::WatchCache)
        {
            let error = ApiError::from(StoreError::TooLargeResourceVersion { requested, current });
            return Phase::refused(&error);
        }
        if let Start::After(revision) = self.start
            && !self.resource.cached
            && state.storage.has_forgotten(revision.saturating_add(1))
        {
            let error = ApiError::expired("The resourceVersion for the provided watch is too old.");
            return Phase::refused(&error);
        }
        // As upstream, only a watch that asks for the latest state advances the cache. For a kind that upstream does
        // not cache, the cache here stands for storage, so it is always advanced.
        let fresh = !self.resource.cached || matches!(self.start, Start::State { fresh: Some(_), .. } | Start::Now);
        let cache = if fresh { state.fresh_cache(&self.resource) } else { state.cache(&self.resource) };
        let cache = match cache {
            Ok(cache) => cache,
            Err(error) => return Phase::refused(&ApiError::from(error)),
        };
        let (first, after) = match self.start {
            Start::State { end, .. } => {
                let end = (end && self.bookmarks).then(|| cache.initial_events_end());
                (cache.initial_events(&self.filter).ending_with(end), cache.version())
            }
            Start::Now => (InitialEvents::default(), cache.version()),
            Start::After(revision) => match cache.replay(&self.filter, revision) {
                Ok(missed) => (missed, cache.version().max(revision)),
                Err(too_old) => {
                    let error = ApiError::too_old(revision, too_old.oldest);
                    return Phase::refused(&error);
                }
            },
        };
        let live = (!closed).then(|| {
            let (id, events) = cache.subscribe(self.filter.clone(), after, self.requester);
            Subscription { store: store.clone(), resource: self.resource.clone(), id, events }
        });
        Phase::Running { first, live }
    }
}

impl Stream {
    /// Returns the next event once its write is on the disk; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Arc<WatchEvent>> {
        let event = self.event().await?;
        self.store.flushed().await.ok()?;
        Some(event)
    }

    /// Returns the next event: an initial event, a change or a bookmark.
    async fn event(&mut self) -> Option<Arc<WatchEvent>> {
        if let Phase::Waiting(revision) = self.phase {
            let waited = tokio::select! {
                biased;
                waited = self.store.wait_for(revision, &self.watch.resource, ServedFrom::WatchCache) => waited,
                () = self.deadline.as_mut() => return None,
            };
            self.phase = match waited {
                Ok(()) => self.watch.begin(&self.store, &mut self.store.lock()),
                Err(error) => Phase::refused(&ApiError::from(error)),
            };
        }
        loop {
            let Phase::Running { first, live } = &mut self.phase else { return None };
            if let Some(event) = first.next() {
                return Some(event);
            }
            let live = live.as_mut()?;
            tokio::select! {
                biased;
                event = live.events.recv() => return event,
                () = self.deadline.as_mut() => return None,
                due_at = due(&mut self.next_bookmark) => {
                    let resource = &self.watch.resource;
                    if self.watch.requester == Requester::Cluster || !self.store.faults.freezes_bookmarks(resource) {
                        let mut state = self.store.lock();
                        if let Ok(cache) = state.fresh_cache(resource) {
                            cache.bookmark(live.id);
                        }
                    }
                    self.set_bookmark(due_at);
                }
            }
        }
    }

    /// Sets the time of the next bookmark: the bookmark period after `previous`, or [`LAST_BOOKMARK`] before the
    /// timeout if that is earlier. Later than that there is none.
    fn set_bookmark(&mut self, previous: Instant) {
        self.next_bookmark = self.deadline.deadline().checked_sub(LAST_BOOKMARK).and_then(|before_deadline| {
            let next = previous.checked_add(self.store.settings.bookmarks).unwrap_or(before_deadline);
            (previous < before_deadline).then(|| Box::pin(sleep_until(next.min(before_deadline))))
        });
    }
}

/// Waits for a timer, if it is set, and returns the time at which it was due.
async fn due(timer: &mut Option<Pin<Box<Sleep>>>) -> Instant {
    let Some(timer) = timer else { return std::future::pending().await };
    timer.as_mut().await;
    timer.deadline()
}
