//! The watch cache of one kind: its current objects, its last events, and everyone who watches it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use imbl::OrdMap;
use serde_json::json;
use tokio::sync::mpsc;

use super::era::Era;
use super::event::Event;
use super::faults::Asker;
use super::filter::Filter;
use super::object::{Key, Object};
use super::random;
use super::resource::Resource;
use super::settings::Settings;

/// Fed by storage, with a version of its own that may lag behind storage's revision.
///
/// Invariants: `objects` is the state of the kind at `version`; `events` are all writes to the kind in
/// `(floor, version]`, in order; every watcher was sent every event up to `version` that concerns it.
#[derive(Debug)]
pub(crate) struct WatchCache {
    resource: &'static Resource,
    era: Era,
    seed: u64,
    version: u64,
    /// The revision of the last write to this kind.
    last_write: u64,
    /// The least resourceVersion that a watch can go on from.
    floor: u64,
    /// The least revision whose state is told; storage forgot those before.
    snapshots: u64,
    objects: OrdMap<Key, Arc<Object>>,
    events: VecDeque<Arc<Event>>,
    /// How many events are kept.
    keep: usize,
    /// How many lines may wait for a reader before its stream is ended.
    buffer: usize,
    watchers: BTreeMap<u64, Watcher>,
    next_watcher: u64,
    /// Whether it learns nothing new, because of a fault.
    stands_still: bool,
    /// What it has missed so.
    missed: VecDeque<(Arc<Event>, Audience)>,
}

/// Whom an event is sent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Everyone,
    /// A fault hides it from the clients.
    Kubelet,
}

/// One who watches.
#[derive(Debug)]
struct Watcher {
    filter: Filter,
    /// Only what comes after this revision is sent.
    after: u64,
    asker: Asker,
    lines: mpsc::Sender<Bytes>,
}

/// The events after a resourceVersion are no longer all here; the least from which they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooOld {
    pub(crate) oldest: u64,
}

impl WatchCache {
    pub(crate) fn new(resource: &'static Resource, settings: &Settings, version: u64) -> Self {
        Self {
            resource,
            era: settings.era,
            seed: settings.seed,
            version,
            last_write: version,
            floor: version,
            snapshots: version,
            objects: OrdMap::new(),
            events: VecDeque::new(),
            keep: settings.history,
            buffer: settings.watch_buffer,
            watchers: BTreeMap::new(),
            next_watcher: 0,
            stands_still: false,
            missed: VecDeque::new(),
        }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn last_write(&self) -> u64 {
        self.last_write
    }

    /// Learns of a write; later, if it stands still.
    pub(crate) fn take(&mut self, event: Arc<Event>, audience: Audience) {
        if self.stands_still {
            self.missed.push_back((event, audience));
        } else {
            self.apply(event, audience);
        }
    }

    /// Stands still from now on, or goes on with what it has missed.
    pub(crate) fn stand_still(&mut self, stands_still: bool) {
        self.stands_still = stands_still;
        if !stands_still {
            self.catch_up();
        }
    }

    fn catch_up(&mut self) {
        while let Some((event, audience)) = self.missed.pop_front() {
            self.apply(event, audience);
        }
    }

    /// The version that it cannot go beyond, if it stands still.
    pub(crate) fn stuck_at(&self) -> Option<u64> {
        self.stands_still.then_some(self.version)
    }

    /// Takes one write in and sends it to those whom it concerns. A reader whose buffer is full loses its stream.
    fn apply(&mut self, event: Arc<Event>, audience: Audience) {
        let object = event.object();
        match &event.current {
            Some(current) => self.objects.insert(current.key.clone(), current.clone()),
            None => self.objects.remove(&object.key),
        };
        self.version = event.revision;
        self.last_write = event.revision;
        self.watchers.retain(|_, watcher| match (audience, watcher.asker) {
            (Audience::Kubelet, Asker::Client) => true,
            _ => watcher.send(&event),
        });
        self.events.push_back(event);
        if self.events.len() > self.keep
            && let Some(forgotten) = self.events.pop_front()
        {
            self.floor = forgotten.revision;
        }
    }

    /// Learns that storage has come this far without a further write to this kind.
    pub(crate) fn progress(&mut self, revision: u64) {
        if !self.stands_still {
            self.version = self.version.max(revision);
        }
    }

    /// Begins anew with the present state: catches up with storage, and forgets all past events.
    pub(crate) fn renew(&mut self, revision: u64) {
        self.catch_up();
        self.version = self.version.max(revision);
        self.events.clear();
        self.floor = self.version;
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Arc<Object>> {
        self.objects.get(key).cloned()
    }

    /// Whether the state at a revision, which is not newer than the cache, can be told.
    pub(crate) fn reaches_back_to(&self, revision: u64) -> bool {
        revision >= self.floor.max(self.snapshots)
    }

    /// Learns that storage has forgotten the states before a revision.
    pub(crate) fn drop_snapshots(&mut self, before: u64) {
        self.snapshots = self.snapshots.max(before);
    }

    /// The objects as they were at a revision, in key order.
    pub(crate) fn at(&self, revision: u64) -> Option<OrdMap<Key, Arc<Object>>> {
        if revision < self.version && !self.reaches_back_to(revision) {
            return None;
        }
        let mut objects = self.objects.clone(); // in constant time
        let first = self.events.partition_point(|event| event.revision <= revision);
        for event in self.events.range(first..).rev() {
            let key = event.object().key.clone();
            match &event.previous {
                Some(previous) => objects.insert(key, previous.clone()),
                None => objects.remove(&key),
            };
        }
        Some(objects)
    }

    /// The current objects of a filter: in key order, or in none (by a seeded hash) as servers up to 1.26 kept them.
    pub(crate) fn snapshot(&self, filter: &Filter) -> Vec<Arc<Object>> {
        if let Some(only) = filter.only(self.resource) {
            return self.get(&only).filter(|object| filter.matches(object)).into_iter().collect();
        }
        let (first, prefix) = filter.range();
        let range = self.objects.range(first..).take_while(|(key, _)| key.as_str().starts_with(&prefix));
        let mut objects: Vec<_> = range.map(|(_, object)| object).filter(|o| filter.matches(o)).cloned().collect();
        if self.era == Era::Classic {
            objects.sort_by_cached_key(|object| random::place(self.seed, &object.key));
        }
        objects
    }

    /// The lines of the events after a revision.
    pub(crate) fn replay(&self, filter: &Filter, after: u64) -> Result<VecDeque<Bytes>, TooOld> {
        if after < self.floor {
            return Err(TooOld { oldest: self.floor });
        }
        let first = self.events.partition_point(|event| event.revision <= after);
        Ok(self.events.range(first..).filter_map(|event| event.line(|object| filter.matches(object))).collect())
    }

    /// Begins to send what comes after a revision. The stream ends when the reader is too slow, or on `close`.
    pub(crate) fn subscribe(&mut self, filter: Filter, after: u64, asker: Asker) -> (u64, mpsc::Receiver<Bytes>) {
        let (lines, receiver) = mpsc::channel(self.buffer);
        self.next_watcher += 1;
        self.watchers.insert(self.next_watcher, Watcher { filter, after, asker, lines });
        (self.next_watcher, receiver)
    }

    pub(crate) fn unsubscribe(&mut self, watcher: u64) {
        self.watchers.remove(&watcher);
    }

    /// Puts a bookmark of the present version behind what already waits for a watcher. As upstream, none is sent that
    /// would say no more than the client knew from the start, and none to a reader whose buffer is full.
    pub(crate) fn bookmark(&self, watcher: u64) {
        if let Some(watcher) = self.watchers.get(&watcher).filter(|watcher| self.version > watcher.after) {
            let _ = watcher.lines.try_send(self.bookmark_line(None));
        }
    }

    /// The bookmark that ends the initial events of a streaming list.
    pub(crate) fn initial_events_end(&self) -> Bytes {
        self.bookmark_line(Some("k8s.io/initial-events-end"))
    }

    fn bookmark_line(&self, annotation: Option<&str>) -> Bytes {
        let mut object = self.resource.blank();
        object.insert("kind".into(), self.resource.kind.into());
        object.insert("apiVersion".into(), self.resource.api_version().into());
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        if let Some(annotation) = annotation {
            object["metadata"]["annotations"] = json!({annotation: "true"});
        }
        let mut line = json!({"type": "BOOKMARK", "object": object}).to_string();
        line.push('\n');
        line.into()
    }

    /// Ends every client's stream after what already waits in it.
    pub(crate) fn drop_clients(&mut self) {
        self.watchers.retain(|_, watcher| watcher.asker == Asker::Cluster);
    }

    /// Ends every stream after what already waits in it.
    pub(crate) fn close(&mut self) {
        self.watchers.clear();
    }
}

impl Watcher {
    /// Whether the watcher is still there.
    fn send(&self, event: &Event) -> bool {
        if event.revision <= self.after {
            return true;
        }
        match event.line(|object| self.filter.matches(object)) {
            Some(line) => self.lines.try_send(line).is_ok(),
            None => true,
        }
    }
}
