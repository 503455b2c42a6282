//! A RealFIFO's lists, resyncs and bookmarks. Upstream: `Replace`, `Resync` and `Bookmark` in
//! `tools/cache/the_real_fifo.go`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{ListMode, RealFifo, State};
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::{Error, KeyError};
use crate::cache::observe::Event;
use crate::cache::store::KnownObjects;

impl<T> RealFifo<T> {
    /// Queues a list. An atomic queue gets one `ReplacedAll`. Any other queue gets a tombstone for each key that is
    /// queued or known but not in the list, unless the key's last queued delta is a deletion already; then a `Replaced`
    /// for each object of the list.
    ///
    /// # Errors
    /// The key function failed, and nothing was queued. Or the transformer failed: an atomic queue is unchanged; any
    /// other queue has the tombstones and the objects before the failed one.
    pub fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        self.core.change(|state| {
            match &self.list_mode {
                ListMode::Atomic { .. } => self.replace_all(state, objects, resource_version)?,
                ListMode::Reconciled(known) => self.reconcile(state, &**known, objects)?,
            }
            if !state.is_populated() {
                self.core.populate_with(state, state.queued.len());
            }
            Ok(())
        })
    }

    /// Queues a resync: a `SyncAll` if atomic, else a `Sync` of each known object that has nothing queued.
    ///
    /// # Errors
    /// The key function failed for a queued object. Nothing was queued.
    pub fn resync(&self) -> Result<(), Error> {
        self.core.change(|state| {
            self.core.observer.emit::<T>(|| Event::Resynced);
            match &self.list_mode {
                ListMode::Atomic { .. } => {
                    self.push(state, Delta::SyncAll, None);
                    Ok(())
                }
                ListMode::Reconciled(known) => self.sync_unqueued(state, &**known),
            }
        })
    }

    /// Queues a `Sync` of each known object that has nothing queued. A queued change is newer than the known state.
    fn sync_unqueued(&self, state: &mut State<T>, known: &dyn KnownObjects<T>) -> Result<(), Error> {
        let key_of = |delta: &Delta<T>| self.queued_key(delta).map_err(|error| error.in_delta(delta.kind()));
        let queued: HashSet<String> = state.queued.iter().map(key_of).collect::<Result<_, _>>()?;
        for key in known.list_keys().into_iter().filter(|key| !queued.contains(key)) {
            if let Ok(Some(object)) = known.get_by_key(&key) {
                self.push(state, Delta::Sync(object), Some(&key));
            }
        }
        Ok(())
    }

    /// Queues a bookmark if [`RealFifo::bookmarks`] is set, and ignores it otherwise.
    pub fn bookmark(&self, resource_version: &str) {
        if let ListMode::Atomic { bookmarks: true, .. } = self.list_mode {
            let bookmark = Delta::Bookmark { resource_version: resource_version.to_owned() };
            self.core.change(|state| self.push(state, bookmark, None));
        }
    }

    /// Queues the list as one delta, which the consumer compares with its store.
    fn replace_all(&self, state: &mut State<T>, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        let objects = objects.into_iter().map(|object| self.core.transform(object)).collect::<Result<_, _>>()?;
        let resource_version = resource_version.to_owned();
        self.push(state, Delta::ReplacedAll { resource_version, objects }, None);
        Ok(())
    }

    /// Compares the list with the queue and the known objects, and queues a tombstone for each missing object, then the
    /// listed objects.
    fn reconcile(&self, state: &mut State<T>, known: &dyn KnownObjects<T>, objects: Vec<Arc<T>>) -> Result<(), Error> {
        let keys: Vec<String> = objects.iter().map(|object| self.key_of(object)).collect::<Result<_, _>>()?;
        let listed: HashSet<&String> = keys.iter().collect();
        let queued = self.last_queued(state)?;
        for LastQueued { key, deleted, last_known } in &queued {
            if !listed.contains(key) && !deleted {
                self.push_tombstone(state, key, last_known.clone());
            }
        }
        let is_queued: HashSet<&String> = queued.iter().map(|last| &last.key).collect();
        for key in known.list_keys() {
            if !listed.contains(&key) && !is_queued.contains(&key) {
                self.push_tombstone(state, &key, known.get_by_key(&key).ok().flatten());
            }
        }
        for (key, object) in keys.iter().zip(objects) {
            let object = self.core.transform(object).map_err(|error| Error::Enqueue(Box::new(error)))?;
            self.push(state, Delta::Replaced(object), Some(key));
        }
        Ok(())
    }

    /// Returns the last queued delta of each key, ordered by the key's first delta.
    fn last_queued(&self, state: &State<T>) -> Result<Vec<LastQueued<T>>, KeyError> {
        let mut positions: HashMap<String, usize> = HashMap::new();
        let mut queued: Vec<LastQueued<T>> = Vec::new();
        for delta in &state.queued {
            let key = self.queued_key(delta)?;
            let deleted = matches!(delta, Delta::Deleted(_));
            let last = LastQueued { key: key.clone(), deleted, last_known: delta.object().cloned() };
            match positions.get(&key) {
                Some(&position) => queued[position] = last,
                None => {
                    positions.insert(key, queued.len());
                    queued.push(last);
                }
            }
        }
        Ok(queued)
    }

    fn queued_key(&self, delta: &Delta<T>) -> Result<String, KeyError> {
        self.delta_key(delta).expect("a queue that is not atomic holds deltas of one object")
    }

    /// Queues a tombstone for a deletion that the watch missed.
    fn push_tombstone(&self, state: &mut State<T>, key: &str, last_known: Option<Arc<T>>) {
        let tombstone = Deletion::FinalStateUnknown { key: key.to_owned(), last_known };
        self.push(state, Delta::Deleted(tombstone), Some(key));
    }
}

/// A summary of the last queued delta of a key.
struct LastQueued<T> {
    key: String,
    deleted: bool,
    last_known: Option<Arc<T>>,
}
