//! The state of one kind of object in the picture, from the API server through the queue and the store to the handlers.
//! The board draws one pipeline for each kind.

use std::collections::{BTreeMap, BTreeSet};

use super::listener::{Listener, QueuedNotification};
use crate::trace::record::{Cause, WaitingDelta, What};
use kube_informers::cache::observe::{IndexSets, Versioned};

/// The state of the API server, the Reflector, the queue, the store and the handlers for one kind of object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline {
    /// The objects of the built-in API server with their versions, including those that a fault hides from watches.
    pub server: BTreeMap<String, String>,
    /// The resourceVersion of the last list or watch event that the Reflector received.
    pub seen: Option<String>,
    /// The objects of the last list with their versions.
    pub listed: BTreeMap<String, String>,
    /// The number of lists so far.
    pub lists: usize,
    /// True if a Reflector has sent a request.
    pub reflects: bool,
    /// True while a watch is open.
    pub watching: bool,
    /// The queue's name: `DeltaFIFO` or `RealFIFO`.
    pub queue_name: Option<String>,
    /// True if the queue was given known objects: the store that it compares with lists and deletions.
    pub known_objects: bool,
    /// The slots of the queue, oldest first. DeltaFIFO has a slot for each key, RealFIFO a slot for each change.
    pub queue: Vec<Slot>,
    /// The deltas that were popped last, with their keys. The consumer is processing them.
    pub in_hand: Vec<(String, WaitingDelta)>,
    /// True once an event shows that a store exists: an object was stored, or a queue or a handler used the store.
    pub has_store: bool,
    /// The store's objects, with their versions.
    pub store: BTreeMap<String, String>,
    /// The store's indices: the keys by index name and indexed value.
    pub indices: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// The handlers, by the number of their listener.
    pub listeners: BTreeMap<usize, Listener>,
    /// True once the first list has been processed in full.
    pub synced: bool,
}

/// One slot of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The key, empty for a change of many objects.
    pub key: String,
    /// The changes, oldest first.
    pub deltas: Vec<WaitingDelta>,
}

impl Pipeline {
    /// Returns the queued deltas of a key, oldest first.
    pub fn queued(&self, key: &str) -> Vec<&WaitingDelta> {
        self.queue.iter().filter(|slot| slot.key == key).flat_map(|slot| &slot.deltas).collect()
    }

    /// Returns true if the queue has a slot for each key, as DeltaFIFO has.
    pub fn is_by_key(&self) -> bool {
        self.queue_name.as_deref() != Some("RealFIFO")
    }

    pub(super) fn apply(&mut self, what: &What, cause: Option<Cause>) {
        self.has_store |= what.shows_store();
        self.reflects |= what.is_of_reflector();
        match what {
            What::Committed { change, key, resource_version, .. } => match change.as_str() {
                "deleted" => drop(self.server.remove(key)),
                _ => drop(self.server.insert(key.clone(), resource_version.clone())),
            },
            What::Listed { resource_version, objects } => {
                self.lists = self.lists.saturating_add(1);
                self.seen = Some(resource_version.clone());
                self.listed = versions(objects);
            }
            What::Watching { .. } => self.watching = true,
            What::WatchFailed { .. } | What::Relisting { .. } => self.watching = false,
            What::Watched { resource_version, .. } => self.seen = Some(resource_version.clone()),
            What::Queued { queue, key, known_objects, delta } => {
                self.queue_name = Some(queue.clone());
                self.known_objects = *known_objects;
                self.push(key, WaitingDelta { cause, ..delta.clone() });
            }
            What::Merged { key } => self.merge(key),
            What::Dropped { known_objects, .. } => self.known_objects = *known_objects,
            What::Popped { key, deltas, .. } => self.pop(key, deltas),
            What::Stored { key, resource_version, indices, .. } => {
                self.store.insert(key.clone(), resource_version.clone());
                self.index(key, indices);
            }
            What::Removed { key, indices, .. } => {
                self.store.remove(key);
                self.index(key, indices);
            }
            What::Replaced { objects, .. } => {
                self.store = versions(objects);
                let store = &self.store;
                for keys in self.indices.values_mut().flat_map(BTreeMap::values_mut) {
                    keys.retain(|key| store.contains_key(key));
                }
            }
            What::Joined { listener, coalesces, existing } => {
                let joined = Listener { coalesces: *coalesces, replay: *existing, ..Listener::default() };
                self.listeners.insert(*listener, joined);
            }
            What::Notified { listener, notification, key, resource_version, tombstone, .. } => {
                let queued = queued_notification(notification, key, resource_version, *tombstone, cause);
                self.listeners.entry(*listener).or_default().notified(queued);
            }
            What::Coalesced { listener, notification, key, resource_version, tombstone, pending } => {
                let queued = queued_notification(notification, key, resource_version, *tombstone, cause);
                self.listeners.entry(*listener).or_default().coalesced(queued, *pending);
            }
            What::Calling { listener, notification, key, .. } => {
                self.listeners.entry(*listener).or_default().calling(notification, key);
            }
            What::Called { listener, .. } => self.listeners.entry(*listener).or_default().called(),
            What::Synced {} => self.synced = true,
            What::ListFailed { .. }
            | What::Resynced {}
            | What::Run(_)
            | What::Line { .. }
            | What::Narration { .. }
            | What::WorkAdded { .. }
            | What::WorkTaken { .. }
            | What::WorkDone { .. }
            | What::WorkDelayed { .. }
            | What::Unknown => {}
        }
    }

    /// Queues a delta: in DeltaFIFO into the slot of its key, in RealFIFO always into a new slot.
    fn push(&mut self, key: &str, delta: WaitingDelta) {
        let by_key = self.is_by_key();
        match self.queue.iter_mut().find(|slot| by_key && slot.key == key) {
            Some(slot) => slot.deltas.push(delta),
            None => self.queue.push(Slot { key: key.to_owned(), deltas: vec![delta] }),
        }
    }

    /// Merges the last two deletions of a key, as DeltaFIFO does: the deletion with a final state stays, or the newer
    /// of two tombstones.
    fn merge(&mut self, key: &str) {
        let Some(slot) = self.queue.iter_mut().find(|slot| slot.key == key) else { return };
        if let [.., older, newer] = &slot.deltas[..]
            && older.is_deletion()
            && newer.is_deletion()
        {
            let removed = if older.tombstone { slot.deltas.len() - 2 } else { slot.deltas.len() - 1 };
            slot.deltas.remove(removed);
        }
    }

    /// Removes what was popped: in DeltaFIFO the slot of the key, in RealFIFO as many slots as there are deltas.
    fn pop(&mut self, key: &str, deltas: &[WaitingDelta]) {
        if self.is_by_key() {
            self.queue.retain(|slot| slot.key != key);
            self.in_hand = deltas.iter().map(|delta| (key.to_owned(), delta.clone())).collect();
            return;
        }
        let count = deltas.len().min(self.queue.len());
        let mut slots = self.queue.drain(..count).map(|slot| slot.key);
        self.in_hand = deltas.iter().map(|delta| (slots.next().unwrap_or_default(), delta.clone())).collect();
    }

    /// Moves a key between the values of the indices: out of the values in `left`, into those in `values`.
    fn index(&mut self, key: &str, changes: &[IndexSets]) {
        for IndexSets { index, values, left, .. } in changes {
            let sets = self.indices.entry(index.clone()).or_default();
            for value in left {
                if let Some(keys) = sets.get_mut(value) {
                    keys.remove(key);
                }
            }
            sets.retain(|_, keys| !keys.is_empty());
            for value in values {
                sets.entry(value.clone()).or_default().insert(key.to_owned());
            }
        }
    }
}

fn versions(objects: &[Versioned]) -> BTreeMap<String, String> {
    objects.iter().map(|object| (object.key.clone(), object.resource_version.clone())).collect()
}

fn queued_notification(
    notification: &str,
    key: &str,
    version: &str,
    tombstone: bool,
    cause: Option<Cause>,
) -> QueuedNotification {
    let [notification, key, version] = [notification, key, version].map(str::to_owned);
    QueuedNotification { notification, key, version, tombstone, cause }
}
