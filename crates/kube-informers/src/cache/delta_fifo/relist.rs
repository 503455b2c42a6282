//! What a list and a resync do to a DeltaFIFO: `Replace` and `Resync` upstream.

use std::collections::HashSet;
use std::sync::Arc;

use super::{DeltaFifo, Relisted, State};
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::Error;
use crate::cache::lock::lock;
use crate::cache::observe::Event;

impl<T> DeltaFifo<T> {
    /// Queues every object of a list, then a `Deleted` with a tombstone for each key that is queued or known and not in
    /// the list. The resourceVersion is of no interest to this queue.
    ///
    /// # Errors
    /// The key function or the transformer failed for an object; those before it are queued.
    pub fn replace(&self, objects: Vec<Arc<T>>, _resource_version: &str) -> Result<(), Error> {
        let relisted = match self.relisted {
            Relisted::Sync => Delta::Sync,
            Relisted::Replaced => Delta::Replaced,
        };
        let mut state = lock(&self.state);
        let mut listed = HashSet::with_capacity(objects.len());
        for object in objects {
            listed.insert(self.key_of(&object)?);
            self.queue(&mut state, relisted, object).map_err(|error| match error {
                key @ Error::Key(_) => key,
                other => Error::Enqueue(Box::new(other)),
            })?;
        }
        let deleted = self.delete_unlisted(&mut state, &listed);
        if !state.populated {
            state.initial = listed.len() + deleted;
            self.populate(&mut state);
        }
        Ok(())
    }

    /// Queues a `Sync` of every known object that has nothing queued. One that has is left out: what the store holds is
    /// older than what is queued.
    ///
    /// # Errors
    /// The key function failed for a known object.
    pub fn resync(&self) -> Result<(), Error> {
        let Some(known) = &self.known else { return Ok(()) };
        let mut state = lock(&self.state);
        self.observer.tell(|| Event::Resynced);
        for key in known.list_keys() {
            let Ok(Some(object)) = known.get_by_key(&key) else { continue };
            let key = self.key_of(&object)?;
            if !state.items.contains(&key) {
                self.push(&mut state, key, Delta::Sync(object));
            }
        }
        Ok(())
    }

    /// Queues tombstones for what is queued or known and not listed; says for how many keys.
    fn delete_unlisted(&self, state: &mut State<T>, listed: &HashSet<String>) -> usize {
        let queued = state.items.iter().map(|(key, _)| key).filter(|key| !listed.contains(*key));
        let queued: Vec<String> = queued.cloned().collect();
        let known: Vec<String> = match &self.known {
            Some(known) => known
                .list_keys()
                .into_iter()
                .filter(|key| !listed.contains(key) && !state.items.contains(key))
                .collect(),
            None => Vec::new(),
        };
        let deleted = queued.len() + known.len();
        for key in queued {
            let last_known = state.items.get(&key).and_then(|deltas| deltas.newest().object().cloned());
            self.bury(state, key, last_known);
        }
        for key in known {
            let last_known = self.known.as_ref().and_then(|known| known.get_by_key(&key).ok().flatten());
            self.bury(state, key, last_known);
        }
        deleted
    }

    fn bury(&self, state: &mut State<T>, key: String, last_known: Option<Arc<T>>) {
        let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
        self.push(state, key, Delta::Deleted(tombstone));
    }
}
