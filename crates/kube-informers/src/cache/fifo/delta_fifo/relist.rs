//! List and resync on a DeltaFIFO. Upstream: `Replace` and `Resync` in `tools/cache/delta_fifo.go`.

use std::collections::HashSet;
use std::sync::Arc;

use super::{DeltaFifo, Inside, Relisted};
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::Error;
use crate::cache::observe::Event;

impl<T> DeltaFifo<T> {
    /// Queues every object of a list, then a tombstone for each key that is queued or known but not in the list. The
    /// resourceVersion is ignored.
    ///
    /// # Errors
    /// The key function or the transformer failed for an object. The objects before it are queued.
    pub fn replace(&self, objects: Vec<Arc<T>>, _resource_version: &str) -> Result<(), Error> {
        let relisted = match self.relisted {
            Relisted::Sync => Delta::Sync,
            Relisted::Replaced => Delta::Replaced,
        };
        self.intake.change(|inside| {
            let mut listed = HashSet::with_capacity(objects.len());
            for object in objects {
                listed.insert(self.key_of(&object)?);
                self.queue(inside, relisted, object).map_err(|error| match error {
                    key @ Error::Key(_) => key,
                    other => Error::Enqueue(Box::new(other)),
                })?;
            }
            let deleted = self.delete_unlisted(inside, &listed);
            if !inside.is_populated() {
                self.intake.populate_with(inside, listed.len() + deleted);
            }
            Ok(())
        })
    }

    /// Queues a `Sync` of every known object that has nothing queued. A queued key is skipped, because its queued state
    /// is newer than the known one. Without known objects, a resync does nothing.
    ///
    /// # Errors
    /// The key function failed for a known object.
    pub fn resync(&self) -> Result<(), Error> {
        let Some(known) = &self.known else { return Ok(()) };
        self.intake.change(|inside| {
            self.intake.observer.tell::<T>(|| Event::Resynced);
            for key in known.list_keys() {
                let Ok(Some(object)) = known.get_by_key(&key) else { continue };
                let key = self.key_of(&object)?;
                if !inside.queued.contains(&key) {
                    self.push(inside, key, Delta::Sync(object));
                }
            }
            Ok(())
        })
    }

    /// Queues a tombstone for each key that is queued or known but not listed. Returns their number.
    fn delete_unlisted(&self, inside: &mut Inside<T>, listed: &HashSet<String>) -> usize {
        let queued = inside.queued.iter().map(|(key, _)| key).filter(|key| !listed.contains(*key));
        let queued: Vec<String> = queued.cloned().collect();
        let known: Vec<String> = match &self.known {
            Some(known) => known
                .list_keys()
                .into_iter()
                .filter(|key| !listed.contains(key) && !inside.queued.contains(key))
                .collect(),
            None => Vec::new(),
        };
        let deleted = queued.len() + known.len();
        for key in queued {
            let last_known = inside.queued.get(&key).and_then(|deltas| deltas.newest().object().cloned());
            self.delete_unseen(inside, key, last_known);
        }
        for key in known {
            let last_known = self.known.as_ref().and_then(|known| known.get_by_key(&key).ok().flatten());
            self.delete_unseen(inside, key, last_known);
        }
        deleted
    }

    /// Queues a tombstone for a deletion that the watch missed.
    fn delete_unseen(&self, inside: &mut Inside<T>, key: String, last_known: Option<Arc<T>>) {
        let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
        self.push(inside, key, Delta::Deleted(tombstone));
    }
}
