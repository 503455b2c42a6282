//! The watch cache of one kind: its current objects, its last events, and its watchers. Watches and most lists are
//! served from it; every write is applied to it after storage. A fault can stop it, so that it lags behind. Upstream:
//! `k8s.io/apiserver/pkg/storage/cacher`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use imbl::OrdMap;
use tokio::sync::mpsc;

use super::event::{Event, SharedEvents};
use super::event_queue::{EventReceiver, EventSender, event_queue};
use super::filter::Filter;
use super::initial_events::InitialEvents;
use super::object::{Key, Object, Opened};
use super::requester::Requester;
use super::watch_event::{EventType, WatchEvent};
use crate::settings::{Era, Settings};
use kube_machinery::conventions::random;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};

/// The watch cache of one kind. Its version may be behind storage's revision.
///
/// Invariants: `objects` is the state of the kind at `version`; `events` are all writes to the kind in `(floor,
/// version]`, in order; every watcher was sent all events up to `version` that match its filter.
#[derive(Debug)]
pub(crate) struct WatchCache {
    resource: Resource,
    /// The generation of API server that is simulated: caches of old servers are not ordered by key.
    era: Era,
    /// Decides the order in which an old server lists objects, which is random but the same in every run.
    seed: u64,
    /// The revision that the cache has reached.
    version: u64,
    /// The revision of the last write to the kind.
    last_write: u64,
    /// The least resourceVersion from which a watch can start: all later events are still in the history.
    floor: u64,
    /// The least revision whose state can be listed; storage has compacted the earlier ones.
    oldest_snapshot: u64,
    objects: OrdMap<Key, Arc<Object>>,
    /// The earlier state that was read last, and its revision: all pages of a list read the same state.
    past: Option<(u64, OrdMap<Key, Arc<Object>>)>,
    events: VecDeque<Arc<Event>>,
    /// The largest number of events kept.
    keep: usize,
    /// The largest number of events that wait for one watcher before its stream ends.
    buffer: usize,
    watchers: BTreeMap<u64, Watcher>,
    /// The number of the watcher that was added last.
    last_watcher: u64,
    /// True while a fault stops the cache.
    stopped: bool,
    /// The events since the cache was stopped.
    missed: VecDeque<(Arc<Event>, Audience)>,
}

/// The watchers that receive an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Everyone,
    /// The cluster's own components only: a fault hides the event from clients.
    ClusterOnly,
}

#[derive(Debug)]
struct Watcher {
    filter: Filter,
    /// Only events after this revision are sent.
    after: u64,
    requester: Requester,
    delivery: Delivery,
}

/// An event and the decoded state after the write; `None` after a removal.
pub(crate) type OpenedEvent = (Arc<Event>, Option<Arc<Opened>>);

/// The current objects, their version, and all later events.
pub(crate) type Followed = (Vec<Arc<Object>>, u64, mpsc::UnboundedReceiver<OpenedEvent>);

/// The form in which a watcher receives events.
#[derive(Debug)]
enum Delivery {
    /// The event as the watcher's filter shows it, for a request.
    Watch(EventSender),
    /// The event, with the state after the write decoded, for controllers in the process of the server.
    Opened(mpsc::UnboundedSender<OpenedEvent>),
}

/// The error for a watch from a resourceVersion whose later events are no longer in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooOld {
    pub(crate) oldest: u64,
}

impl WatchCache {
    /// Makes an empty cache, whose watchers get numbers above `last_watcher`.
    pub(crate) fn new(resource: &Resource, settings: &Settings, version: u64, last_watcher: u64) -> Self {
        Self {
            resource: resource.clone(),
            era: settings.era,
            seed: settings.seed,
            version,
            last_write: version,
            floor: version,
            oldest_snapshot: version,
            objects: OrdMap::new(),
            past: None,
            events: VecDeque::new(),
            keep: settings.history,
            buffer: settings.watch_buffer,
            watchers: BTreeMap::new(),
            last_watcher,
            stopped: false,
            missed: VecDeque::new(),
        }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn last_write(&self) -> u64 {
        self.last_write
    }

    /// Applies a write, or queues it while the cache is stopped. Returns the event that the write has pushed out of the
    /// history.
    pub(crate) fn take(&mut self, event: Arc<Event>, audience: Audience) -> Option<Arc<Event>> {
        if self.stopped {
            self.missed.push_back((event, audience));
            return None;
        }
        self.apply(event, audience)
    }

    pub(crate) fn stop(&mut self) {
        self.stopped = true;
    }

    /// Resumes the cache, and applies the queued writes.
    pub(crate) fn resume(&mut self) {
        self.stopped = false;
        self.catch_up();
    }

    /// Applies the queued writes.
    fn catch_up(&mut self) {
        while let Some((event, audience)) = self.missed.pop_front() {
            self.apply(event, audience);
        }
    }

    /// Returns the version at which the cache is stopped, if it is.
    pub(crate) fn stopped_at(&self) -> Option<u64> {
        self.stopped.then_some(self.version)
    }

    /// Applies a write and sends it to the watchers. The stream of a watcher whose buffer is full ends. Returns the
    /// event that the write has pushed out of the history.
    fn apply(&mut self, event: Arc<Event>, audience: Audience) -> Option<Arc<Event>> {
        let object = event.object();
        match &event.current {
            Some(current) => self.objects.insert(current.key.clone(), current.clone()),
            None => self.objects.remove(&object.key),
        };
        self.version = event.revision;
        self.last_write = event.revision;
        let shared = SharedEvents::default();
        self.watchers.retain(|_, watcher| match (audience, watcher.requester) {
            (Audience::ClusterOnly, Requester::Client) => true,
            _ => watcher.send(&event, &shared),
        });
        self.events.push_back(event);
        let forgotten = (self.events.len() > self.keep).then(|| self.events.pop_front())??;
        self.floor = forgotten.revision;
        Some(forgotten)
    }

    /// Drops the events up to a revision, because the history has become too large, and ends the watches that have not
    /// read them. Returns the dropped events.
    pub(super) fn forget(&mut self, revision: u64) -> impl Iterator<Item = Arc<Event>> + use<'_> {
        self.watchers.retain(|_, watcher| watcher.keeps_up_with(revision));
        let dropped = self.events.partition_point(|event| event.revision <= revision);
        if let Some(last) = dropped.checked_sub(1).and_then(|last| self.events.get(last)) {
            self.floor = last.revision;
        }
        self.drop_snapshots(revision);
        self.events.drain(..dropped)
    }

    /// Advances the version to a revision of storage without a write to this kind.
    pub(crate) fn progress(&mut self, revision: u64) {
        if !self.stopped {
            self.version = self.version.max(revision);
        }
    }

    /// Starts again from the current state, as after a restart of the server: catches up with storage, and drops all
    /// events.
    pub(crate) fn reset(&mut self, revision: u64) {
        self.catch_up();
        self.version = self.version.max(revision);
        self.events.clear();
        self.floor = self.version;
    }

    /// Starts again with the objects of a kind whose definition has changed. Ends all watches, so that clients list
    /// again and get the new form. Upstream: `tearDown` of the storage of a custom resource.
    pub(super) fn refill(&mut self, resource: &Resource, objects: OrdMap<Key, Arc<Object>>, revision: u64) {
        self.resource = resource.clone();
        self.objects = objects;
        self.past = None;
        self.events.clear();
        self.missed.clear();
        self.version = revision;
        self.last_write = revision;
        self.floor = revision;
        self.watchers.clear();
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        self.objects.get(key).cloned()
    }

    /// Returns true if the state at a revision is available. The revision must not be newer than the cache.
    pub(crate) fn reaches_back_to(&self, revision: u64) -> bool {
        revision >= self.floor.max(self.oldest_snapshot)
    }

    /// Notes that storage has compacted the states before this revision, so they can no longer be listed.
    pub(crate) fn drop_snapshots(&mut self, before: u64) {
        self.oldest_snapshot = self.oldest_snapshot.max(before);
        self.past = self.past.take().filter(|(of, _)| self.reaches_back_to(*of));
    }

    /// Returns the objects at a revision, in key order; `None` if that state is no longer available.
    pub(crate) fn at(&mut self, revision: u64) -> Option<OrdMap<Key, Arc<Object>>> {
        if revision < self.version && !self.reaches_back_to(revision) {
            return None;
        }
        if let Some((_, past)) = self.past.as_ref().filter(|(of, _)| *of == revision) {
            return Some(past.clone());
        }
        // Go back from the current state by undoing the later events, the last one first.
        let mut objects = self.objects.clone(); // takes constant time: the map is persistent
        let first = self.events.partition_point(|event| event.revision <= revision);
        for event in self.events.range(first..).rev() {
            let key = event.object().key.clone();
            match &event.previous {
                Some(previous) => objects.insert(key, previous.clone()),
                None => objects.remove(&key),
            };
        }
        if first < self.events.len() {
            self.past = Some((revision, objects.clone()));
        }
        Some(objects)
    }

    /// Returns the current objects that match a filter: in key order or, as in servers up to 1.26, in a random order
    /// that the seed decides.
    pub(crate) fn snapshot(&self, filter: &Filter) -> Vec<Arc<Object>> {
        if let Some(only) = filter.only(&self.resource) {
            return self.get(&only).filter(|object| filter.matches(object)).into_iter().collect();
        }
        let (first, prefix) = filter.range();
        let range = self.objects.range(first..).take_while(|(key, _)| key.as_str().starts_with(&prefix));
        let mut objects: Vec<_> = range.map(|(_, object)| object).filter(|o| filter.matches(o)).cloned().collect();
        if self.era == Era::Classic {
            objects.sort_by_cached_key(|object| random::cache_position(self.seed, object.key.as_str()));
        }
        objects
    }

    /// Returns an ADDED event for each current object that matches, in the order of [`snapshot`](Self::snapshot).
    pub(crate) fn initial_events(&self, filter: &Filter) -> InitialEvents {
        if self.era == Era::Classic || filter.only(&self.resource).is_some() {
            return InitialEvents::of_selected(self.snapshot(filter));
        }
        InitialEvents::of_objects(self.objects.clone(), filter.clone())
    }

    /// Returns the events after a revision. Fails if the history no longer has all of them.
    pub(crate) fn replay(&self, filter: &Filter, after: u64) -> Result<InitialEvents, TooOld> {
        if after < self.floor {
            return Err(TooOld { oldest: self.floor });
        }
        let first = self.events.partition_point(|event| event.revision <= after);
        Ok(InitialEvents::of_missed(self.events.range(first..), filter.clone()))
    }

    /// Adds a watcher that receives the events after a revision. Returns its number, for
    /// [`unsubscribe`](Self::unsubscribe), and its stream. The stream ends when the reader is too slow, or on `close`.
    pub(crate) fn subscribe(&mut self, filter: Filter, after: u64, requester: Requester) -> (u64, EventReceiver) {
        let (events, receiver) = event_queue(self.buffer);
        (self.add(Watcher { filter, after, requester, delivery: Delivery::Watch(events) }), receiver)
    }

    /// Returns the current objects in key order, their version, and a stream of all later events. The stream has no
    /// bound, because a slow reader that lost it would have to read all objects again.
    pub(super) fn follow(&mut self) -> Followed {
        let (events, receiver) = mpsc::unbounded_channel();
        let (filter, requester, after) = (Filter::default(), Requester::Cluster, self.version);
        self.add(Watcher { filter, after, requester, delivery: Delivery::Opened(events) });
        (self.objects.values().cloned().collect(), after, receiver)
    }

    fn add(&mut self, watcher: Watcher) -> u64 {
        self.last_watcher += 1;
        self.watchers.insert(self.last_watcher, watcher);
        self.last_watcher
    }

    pub(crate) fn unsubscribe(&mut self, watcher: u64) {
        self.watchers.remove(&watcher);
    }

    /// Sends a watcher a bookmark with the current version, after the events that already wait. As upstream, it sends
    /// none if the client has known the version from the start, and none to a reader whose buffer is full.
    pub(crate) fn bookmark(&self, watcher: u64) {
        if let Some(watcher) = self.watchers.get(&watcher).filter(|watcher| self.version > watcher.after)
            && let Delivery::Watch(events) = &watcher.delivery
        {
            let _ = events.send(self.version, Arc::new(self.bookmark_event(None)));
        }
    }

    /// Returns the bookmark that ends the initial events of a streaming list.
    pub(crate) fn initial_events_end(&self) -> WatchEvent {
        self.bookmark_event(Some("k8s.io/initial-events-end"))
    }

    fn bookmark_event(&self, annotation: Option<&str>) -> WatchEvent {
        let mut object = self.resource.blank();
        object.insert("kind".into(), self.resource.kind().into());
        object.insert("apiVersion".into(), self.resource.api_version().into());
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        if let Some(annotation) = annotation {
            object["metadata"]["annotations"] = json!({annotation: "true"});
        }
        WatchEvent::made(EventType::Bookmark, Value::Object(object))
    }

    /// Ends the streams of all clients after the events that already wait.
    pub(crate) fn drop_clients(&mut self) {
        self.watchers.retain(|_, watcher| watcher.requester == Requester::Cluster);
    }

    /// Returns the number of the last watcher, so that a later cache of the kind gives no number twice.
    pub(super) fn last_watcher(&self) -> u64 {
        self.last_watcher
    }

    /// Ends all streams after the events that already wait.
    pub(crate) fn close(&mut self) {
        self.watchers.clear();
    }
}

impl Watcher {
    /// Returns false if an event up to this revision waits for the reader. All waiting events are dropped then.
    fn keeps_up_with(&self, revision: u64) -> bool {
        match &self.delivery {
            Delivery::Watch(events) => events.drop_if_behind(revision).is_ok(),
            Delivery::Opened(_) => true,
        }
    }

    /// Sends an event if it matches. Returns false if the watcher is gone or too slow.
    fn send(&self, event: &Arc<Event>, shared: &SharedEvents) -> bool {
        if event.revision <= self.after {
            return true;
        }
        match &self.delivery {
            Delivery::Watch(events) => {
                let seen = event.seen_through(&self.filter, shared);
                seen.is_none_or(|seen| events.send(event.revision, seen).is_ok())
            }
            Delivery::Opened(events) => {
                // The writer still has the object open, so this decodes nothing.
                let opened = event.current.as_ref().map(Object::open).transpose();
                opened.is_ok_and(|opened| events.send((event.clone(), opened)).is_ok())
            }
        }
    }
}
