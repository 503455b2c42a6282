//! Snapshots: all objects of a cluster at one moment, and the way back to that state. A test or a lesson prepares a
//! cluster once, and returns to that state again and again. (The snapshots on disk are another thing: see `wal`.)

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::object::{Draft, Key, Object};
use super::{Store, StoreError, StoreState};
use kube_machinery::conventions::random::Random;
use kube_machinery::kinds::GroupResource;

/// All objects of a cluster at a revision. A snapshot shares the objects with the cluster, so it takes little time and
/// memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    revision: u64,
    time: Timestamp,
    objects: Vec<Arc<Object>>,
}

impl Snapshot {
    /// Returns the revision of the last write before the snapshot.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the time of the snapshot, on the cluster's clock.
    pub fn time(&self) -> Timestamp {
        self.time
    }
}

/// The objects that one step of a restore writes back. Definitions come first, because they decide which custom
/// resources are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestoreStep {
    /// The built-in kinds, including CustomResourceDefinitions.
    BuiltIn,
    Custom,
}

impl RestoreStep {
    fn has(self, object: &Object) -> bool {
        object.resource.is_unstructured() == (self == Self::Custom)
    }
}

impl Store {
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = self.lock();
        let objects = state.storage.all().cloned().collect();
        Snapshot { revision: state.storage.revision(), time: self.clock.time(), objects }
    }

    /// Seeds the random generator anew, for a store at this revision. The objects of a snapshot or a folder may have
    /// been made by another cluster with the same seed, and no uid may be given twice.
    pub(crate) fn renew_random(&self, revision: u64) {
        *self.random() = Random::new(self.settings.seed ^ revision.rotate_left(32));
    }

    /// Removes the objects that were created after a snapshot. Custom resources go before their definitions.
    pub(crate) fn remove_newer(&self, snapshot: &Snapshot) {
        let kept = by_key(&snapshot.objects);
        let mut state = self.lock();
        let mut newer: Vec<Arc<Object>> =
            state.storage.all().filter(|object| !kept.contains_key(&key(object))).cloned().collect();
        newer.sort_by_key(|object| (!object.resource.is_unstructured(), object.resource.defines_kinds()));
        for object in newer {
            self.remove(&mut state, &object.resource, &object.key);
        }
    }

    /// Writes back each object that differs from the snapshot.
    pub(crate) fn put_back(&self, snapshot: &Snapshot, step: RestoreStep) -> Result<(), StoreError> {
        let catalog = self.catalog();
        let mut state = self.lock();
        for object in snapshot.objects.iter().filter(|object| step.has(object)) {
            if is_unchanged(&state, object) {
                continue;
            }
            // The definition may now serve the kind with another row, or may be gone.
            let resource = &object.resource;
            let row = catalog.row_of(resource.group(), resource.plural(), resource.version()).unwrap_or(resource);
            let mut value = object.open()?.value.clone();
            let draft = Draft::new(row, object.key.clone(), &mut value);
            self.put(&mut state, draft, value);
        }
        Ok(())
    }
}

fn key(object: &Object) -> (GroupResource, Key) {
    (object.resource.group_resource(), object.key.clone())
}

fn by_key(objects: &[Arc<Object>]) -> BTreeMap<(GroupResource, Key), &Arc<Object>> {
    objects.iter().map(|object| (key(object), object)).collect()
}

fn is_unchanged(state: &StoreState, object: &Arc<Object>) -> bool {
    let now = state.storage.get(&object.resource, &object.key);
    let is_same = |now: Arc<Object>| now.revision == object.revision && now.json() == object.json();
    now.is_some_and(|now| Arc::ptr_eq(&now, object) || is_same(now))
}
