//! Storage, the counterpart of etcd: all objects, and their earlier states within the history (the last revisions, up
//! to a number and an age), so that a list can be answered as of an earlier revision. Compaction drops the states
//! before the history.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;

use super::event::Event;
use super::object::{Draft, Key, Object};
use super::packed_text;
use kube_machinery::kinds::{GroupResource, Resource};

/// All versions of all objects. Every kind shares one revision counter, and every write takes the next revision.
///
/// Invariants: the versions of a key are in ascending order of revision, and no two removals follow each other; `log`
/// has one entry for each revision in `(compacted, revision]`, in order.
#[derive(Debug)]
pub(crate) struct Storage {
    revision: u64,
    /// States before this revision are compacted.
    compacted: u64,
    /// By kind, then by key.
    kinds: BTreeMap<GroupResource, BTreeMap<Key, Vec<Version>>>,
    log: VecDeque<LogEntry>,
    /// The largest number of revisions in the history.
    keep: usize,
    /// The longest time that an earlier state stays in the history.
    age: Duration,
    /// Receives the objects whose last write has left the history, to be packed.
    aged: Option<mpsc::UnboundedSender<Arc<Object>>>,
}

/// The write of a revision, as the log keeps it.
#[derive(Debug)]
struct LogEntry {
    kind: GroupResource,
    key: Key,
    at: Instant,
    /// True if the object had an earlier state, which compaction drops.
    replaces: bool,
    /// True if the object is long enough to be packed when it has aged.
    is_long: bool,
}

#[derive(Debug)]
struct Version {
    revision: u64,
    /// `None` if the object was removed at this revision.
    object: Option<Arc<Object>>,
}

/// The requested state has been compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Compacted;

impl Storage {
    /// Makes an empty storage at this revision. It keeps the last `keep` revisions, and no earlier state for longer
    /// than `age`.
    pub(crate) fn new(revision: u64, keep: usize, age: Duration) -> Self {
        Self { revision, compacted: revision, kinds: BTreeMap::new(), log: VecDeque::new(), keep, age, aged: None }
    }

    /// Compacts the states that are older than `age`. Returns the oldest revision left, if it compacted any.
    pub(crate) fn forget_old(&mut self) -> Option<u64> {
        let now = Instant::now();
        let is_old = |entry: &LogEntry| entry.at.checked_add(self.age).is_some_and(|end| end <= now);
        let ended = self.log.iter().take_while(|entry| is_old(entry)).count() as u64;
        (ended > 0).then(|| {
            self.compact(self.compacted + ended);
            self.compacted
        })
    }

    /// Sends each long object whose last write has left the history, now and from now on. The channel has no bound,
    /// because storage keeps nearly all of these objects anyway.
    pub(crate) fn subscribe_aged(&mut self) -> mpsc::UnboundedReceiver<Arc<Object>> {
        let (aged, receiver) = mpsc::unbounded_channel();
        self.aged = Some(aged);
        self.all().for_each(|object| self.send_if_aged(object));
        receiver
    }

    /// Sends a long object to be packed, if its last write has left the history.
    fn send_if_aged(&self, object: &Arc<Object>) {
        if let Some(aged) = self.aged.as_ref().filter(|_| object.revision <= self.compacted && is_long(object)) {
            let _ = aged.send(object.clone()); // fails only after the packing task has ended
        }
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns true if the state at a revision has been compacted.
    pub(crate) fn has_forgotten(&self, revision: u64) -> bool {
        revision < self.compacted
    }

    pub(crate) fn get(&self, resource: &Resource, key: &Key) -> Option<Arc<Object>> {
        self.get_by_kind(&resource.group_resource(), key)
    }

    pub(crate) fn get_by_kind(&self, kind: &GroupResource, key: &Key) -> Option<Arc<Object>> {
        self.kinds.get(kind)?.get(key)?.last()?.object.clone()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Object>> {
        let versions = self.kinds.values().flat_map(BTreeMap::values);
        versions.filter_map(|versions| versions.last()?.object.as_ref())
    }

    /// Adds an object of an earlier server, with the revision that it had there.
    pub(super) fn restore(&mut self, object: Object) -> Event {
        let (kind, key, revision) = (object.resource.group_resource(), object.key.clone(), object.revision);
        let object = Some(Arc::new(object));
        let versions = vec![Version { revision, object: object.clone() }];
        self.kinds.entry(kind).or_default().insert(key, versions);
        Event::new(revision, None, object)
    }

    /// Writes a new or changed object as the next revision.
    pub(crate) fn put(&mut self, draft: Draft) -> Event {
        let (kind, key) = (draft.resource.group_resource(), draft.key.clone());
        let object = draft.with_revision(self.revision + 1);
        self.append(kind, key, Some(Arc::new(object)))
    }

    /// Removes an object as the next revision. Returns `None`, and takes no revision, if there is no such object.
    pub(crate) fn remove(&mut self, resource: &Resource, key: &Key) -> Option<Event> {
        self.get(resource, key)?;
        Some(self.append(resource.group_resource(), key.clone(), None))
    }

    pub(crate) fn of_kind(&self, resource: &Resource) -> impl Iterator<Item = &Arc<Object>> {
        self.range(resource, Key::from_start(String::new()))
    }

    pub(crate) fn range(&self, resource: &Resource, start: Key) -> impl Iterator<Item = &Arc<Object>> {
        self.states(resource, start, self.revision)
    }

    /// Returns the objects of a kind from a key on, in key order, as they were at a revision.
    pub(crate) fn range_at(
        &self,
        resource: &Resource,
        start: Key,
        at: u64,
    ) -> Result<impl Iterator<Item = &Arc<Object>>, Compacted> {
        if self.has_forgotten(at) { Err(Compacted) } else { Ok(self.states(resource, start, at)) }
    }

    /// Returns the objects of a kind from a key on, as they were at a revision that is not compacted.
    fn states(&self, resource: &Resource, start: Key, at: u64) -> impl Iterator<Item = &Arc<Object>> {
        let objects = self.kinds.get(&resource.group_resource()).into_iter();
        let objects = objects.flat_map(move |objects| objects.range(start.clone()..));
        objects.filter_map(move |(_, versions)| {
            // The wanted version is nearly always the last one, so search from the end.
            versions.iter().rev().find(|version| version.revision <= at)?.object.as_ref()
        })
    }

    /// Converts all versions of a kind to another form, at the same revisions, after a change of the kind's definition.
    pub(super) fn rewrite(&mut self, resource: &Resource, form: impl Fn(&Object) -> Option<Object>) {
        let mut written = Vec::new();
        let objects = self.kinds.get_mut(&resource.group_resource()).into_iter().flat_map(BTreeMap::values_mut);
        for object in objects.flatten().filter_map(|version| version.object.as_mut()) {
            if let Some(rewritten) = form(object) {
                *object = Arc::new(rewritten);
                written.push(object.clone());
            }
        }
        written.iter().for_each(|object| self.send_if_aged(object));
    }

    /// Drops every state before a revision, one log entry (one write) at a time.
    pub(crate) fn compact(&mut self, revision: u64) {
        let revision = revision.min(self.revision);
        while self.compacted < revision {
            self.compacted += 1;
            let LogEntry { kind, key, replaces, is_long, .. } =
                self.log.pop_front().expect("the log has an entry for each revision not compacted");
            if !replaces && !is_long {
                continue; // there is no earlier state to drop, and nothing to pack
            }
            let Some(objects) = self.kinds.get_mut(&kind) else { continue };
            let Some(versions) = objects.get_mut(&key) else { continue };
            let older = versions.iter().filter(|version| version.revision < self.compacted).count();
            versions.drain(..older);
            // The record of a removal is of no use once the states before it are dropped.
            if versions.first().is_some_and(|version| version.revision == self.compacted && version.object.is_none()) {
                versions.remove(0);
            }
            match versions.as_slice() {
                [] => {
                    objects.remove(&key);
                    if objects.is_empty() {
                        self.kinds.remove(&kind);
                    }
                }
                [only] => {
                    let current = only.object.clone();
                    versions.shrink_to_fit(); // nearly all objects have only their current version
                    if let Some(object) = current {
                        self.send_if_aged(&object);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a version of an object (`None` for a removal) as the next revision, and an entry to the log.
    fn append(&mut self, kind: GroupResource, key: Key, object: Option<Arc<Object>>) -> Event {
        self.revision += 1;
        let revision = self.revision;
        let versions = self.kinds.entry(kind.clone()).or_default().entry(key.clone()).or_default();
        let previous = versions.last().and_then(|version| version.object.clone());
        versions.push(Version { revision, object: object.clone() });
        let (at, replaces) = (Instant::now(), versions.len() > 1);
        let is_long = object.as_deref().is_some_and(is_long);
        self.log.push_back(LogEntry { kind, key, at, replaces, is_long });
        if self.log.len() > self.keep {
            self.compact(self.compacted + 1);
        }
        Event::new(revision, previous, object)
    }
}

fn is_long(object: &Object) -> bool {
    object.length() >= packed_text::SHORTEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::kinds::PODS;
    use kube_machinery::value::json;

    /// Returns the pods at a revision as `KEY@REVISION`; `None` if that state is compacted.
    fn names(storage: &Storage, at: u64) -> Option<Vec<String>> {
        let objects = storage.range_at(PODS, Key::from_start(String::new()), at).ok()?;
        Some(objects.map(|object| format!("{}@{}", object.key, object.revision)).collect())
    }

    fn put(storage: &mut Storage, name: &str) {
        let mut pod = json!({"metadata": {"name": name}});
        storage.put(Draft::new(PODS, Key::new(Some("n"), name), &mut pod));
    }

    #[test]
    fn every_state_in_the_history_can_be_read_again() {
        let mut storage = Storage::new(1, 100, Duration::MAX);
        put(&mut storage, "b");
        put(&mut storage, "a");
        put(&mut storage, "b");
        storage.remove(PODS, &Key::new(Some("n"), "a")).unwrap();
        assert!(storage.remove(PODS, &Key::new(Some("n"), "a")).is_none());
        assert_eq!(storage.revision(), 5);
        assert_eq!(names(&storage, 1).unwrap(), [""; 0]);
        assert_eq!(names(&storage, 3).unwrap(), ["n/a@3", "n/b@2"]);
        assert_eq!(names(&storage, 4).unwrap(), ["n/a@3", "n/b@4"]);
        assert_eq!(names(&storage, storage.revision()).unwrap(), ["n/b@4"]);
    }

    #[test]
    fn compaction_forgets_the_states_before_and_nothing_else() {
        let mut storage = Storage::new(1, 100, Duration::MAX);
        put(&mut storage, "a");
        put(&mut storage, "b");
        put(&mut storage, "a");
        storage.remove(PODS, &Key::new(Some("n"), "b")).unwrap();
        storage.compact(4);
        assert_eq!(names(&storage, 3), None);
        assert_eq!(names(&storage, 4).unwrap(), ["n/a@4", "n/b@3"]);
        storage.compact(99);
        assert_eq!(names(&storage, 4), None);
        assert_eq!(names(&storage, 5).unwrap(), ["n/a@4"]);
        assert_eq!(storage.kinds[&PODS.group_resource()].len(), 1);
    }

    #[test]
    fn an_object_has_aged_when_its_last_write_leaves_the_history() {
        let long = |name: &str| {
            let mut pod = json!({"metadata": {"name": name}, "note": "x".repeat(packed_text::SHORTEST)});
            Draft::new(PODS, Key::new(Some("n"), name), &mut pod)
        };
        let mut storage = Storage::new(1, 4, Duration::MAX);
        for name in ["gone", "before"] {
            storage.put(long(name));
        }
        storage.compact(3);
        storage.remove(PODS, &Key::new(Some("n"), "gone")).unwrap();
        let mut aged = storage.subscribe_aged();
        for name in ["created", "changed", "changed"] {
            storage.put(long(name));
        }
        put(&mut storage, "short");
        let mut next_aged = move || aged.try_recv().map(|object| object.key.to_string()).ok();
        assert_eq!((next_aged(), next_aged()), (Some("n/before".into()), None));
        storage.compact(storage.revision());
        assert_eq!((next_aged(), next_aged(), next_aged()), (Some("n/created".into()), Some("n/changed".into()), None));
    }

    #[test]
    fn the_history_is_bounded() {
        let mut storage = Storage::new(1, 3, Duration::MAX);
        for _ in 0..50 {
            put(&mut storage, "a");
        }
        assert_eq!(storage.kinds[&PODS.group_resource()].values().map(Vec::len).sum::<usize>(), 4);
        assert_eq!(names(&storage, storage.revision() - 4), None);
        assert!(names(&storage, storage.revision() - 3).is_some());
    }
}
