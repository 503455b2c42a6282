//! A DeltaFIFO's lists and resyncs. Upstream: `Replace` and `Resync` in `tools/cache/delta_fifo.go`.

use std::collections::HashSet;
use std::sync::Arc;

use super::{DeltaFifo, Relisted, State};
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::Error;
use crate::cache::observe::Event;

impl<T> DeltaFifo<T> {
    /// Queues every object of a list, then a tombstone for each key that is queued or known but not in the list.
    ///
    /// # Errors
    /// The key function or the transformer failed for an object. The objects before it are queued.
    pub fn replace(&self, objects: Vec<Arc<T>>, _resource_version: &str) -> Result<(), Error> {
        let relisted = match self.relisted {
            Relisted::Sync => Delta::Sync,
            Relisted::Replaced => Delta::Replaced,
        };
        self.core.change(|state| {
            let mut listed = HashSet::with_capacity(objects.len());
            for object in objects {
                listed.insert(self.key_of(&object)?);
                self.queue(state, relisted, object).map_err(|error| match error {
                    key @ Error::Key(_) => key,
                    other => Error::Enqueue(Box::new(other)),
                })?;
            }
            let deleted = self.delete_unlisted(state, &listed);
            if !state.is_populated() {
                self.core.populate_with(state, listed.len() + deleted);
            }
            Ok(())
        })
    }

    /// Queues a `Sync` of every known object that has nothing queued, because a queued state is newer than the known
    /// one.
    ///
    /// # Errors
    /// The key function failed for a known object.
    pub fn resync(&self) -> Result<(), Error> {
        let Some(known) = &self.known else { return Ok(()) };
        self.core.change(|state| {
            self.core.observer.emit::<T>(|| Event::Resynced);
            for key in known.list_keys() {
                let Ok(Some(object)) = known.get_by_key(&key) else { continue };
                let key = self.key_of(&object)?;
                if !state.queued.contains(&key) {
                    self.push(state, key, Delta::Sync(object));
                }
            }
            Ok(())
        })
    }

    /// Queues a tombstone for each key that is queued or known but not listed. Returns their number.
    fn delete_unlisted(&self, state: &mut State<T>, listed: &HashSet<String>) -> usize {
        let queued = state.queued.iter().map(|(key, _)| key).filter(|key| !listed.contains(*key));
        let queued: Vec<String> = queued.cloned().collect();
        let known: Vec<String> = match &self.known {
            Some(known) => known
                .list_keys()
                .into_iter()
                .filter(|key| !listed.contains(key) && !state.queued.contains(key))
                .collect(),
            None => Vec::new(),
        };
        let deleted = queued.len() + known.len();
        for key in queued {
            let last_known = state.queued.get(&key).and_then(|deltas| deltas.newest().object().cloned());
            self.push_tombstone(state, key, last_known);
        }
        for key in known {
            let last_known = self.known.as_ref().and_then(|known| known.get_by_key(&key).ok().flatten());
            self.push_tombstone(state, key, last_known);
        }
        deleted
    }

    /// Queues a tombstone for a deletion that the watch missed.
    fn push_tombstone(&self, state: &mut State<T>, key: String, last_known: Option<Arc<T>>) {
        let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
        self.push(state, key, Delta::Deleted(tombstone));
    }
}
