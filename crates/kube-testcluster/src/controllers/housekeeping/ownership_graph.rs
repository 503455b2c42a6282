//! The graph of owners and dependents, for the garbage collector.

use std::collections::BTreeMap;

use super::ObjectRef;

/// The dependents by the uid of their owner, even of an owner that does not exist. No entry is empty.
#[derive(Debug, Default)]
pub(super) struct OwnershipGraph(BTreeMap<String, Dependents>);

/// The dependents of one owner.
#[derive(Debug, Default)]
struct Dependents {
    /// Each dependent, and true if the owner's foreground deletion waits for it.
    all: BTreeMap<ObjectRef, bool>,
    /// The number of dependents that the deletion waits for.
    blocking: usize,
}

impl Dependents {
    fn insert(&mut self, dependent: ObjectRef, blocks: bool) {
        let before = self.all.insert(dependent, blocks).unwrap_or_default();
        self.blocking = self.blocking + usize::from(blocks) - usize::from(before);
    }

    fn remove(&mut self, dependent: &ObjectRef) {
        let before = self.all.remove(dependent).unwrap_or_default();
        self.blocking -= usize::from(before);
    }
}

impl OwnershipGraph {
    /// Adds a dependent. `blocks` says whether the owner's foreground deletion waits for it.
    pub(super) fn insert(&mut self, uid: &str, dependent: ObjectRef, blocks: bool) {
        self.0.entry(uid.to_owned()).or_default().insert(dependent, blocks);
    }

    pub(super) fn remove(&mut self, uid: &str, dependent: &ObjectRef) {
        if let Some(dependents) = self.0.get_mut(uid) {
            dependents.remove(dependent);
            if dependents.all.is_empty() {
                self.0.remove(uid);
            }
        }
    }

    pub(super) fn dependents_of(&self, uid: &str) -> Vec<ObjectRef> {
        self.0.get(uid).map(|dependents| dependents.all.keys().cloned().collect()).unwrap_or_default()
    }

    /// Returns true if the foreground deletion of the owner with this uid waits for dependents.
    pub(super) fn is_blocked(&self, uid: &str) -> bool {
        self.0.get(uid).is_some_and(|dependents| dependents.blocking > 0)
    }
}
