//! Delta: one change of one object, as a Reflector queues it and a consumer pops it; and Deletion, which is a final
//! state or a tombstone. Upstream: `Delta`, `Deltas` and `DeletedFinalStateUnknown` in `tools/cache/delta_fifo.go`.

use std::ops::Deref;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

/// The last state of a deleted object, or a tombstone if the deletion itself was missed.
///
/// In Go a handler gets `any`, and a cast that forgets `DeletedFinalStateUnknown` panics. Here the compiler reminds the
/// handler.
#[derive(Debug, PartialEq, Eq)]
pub enum Deletion<T> {
    /// The watch reported the deletion: the final state, with the resourceVersion of the deletion.
    Final(Arc<T>),
    /// A tombstone: the watch missed the deletion, and a later list no longer has the object (client-go's
    /// `DeletedFinalStateUnknown`).
    FinalStateUnknown {
        /// The object's key.
        key: String,
        /// The last state that was seen, possibly stale; `None` if none was seen.
        last_known: Option<Arc<T>>,
    },
}

impl<T> Deletion<T> {
    /// Returns the final state, or a tombstone's last known state.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Final(object) => Some(object),
            Self::FinalStateUnknown { last_known, .. } => last_known.as_ref(),
        }
    }

    /// Returns true if the final state is unknown, because the watch missed the deletion.
    pub fn is_tombstone(&self) -> bool {
        matches!(self, Self::FinalStateUnknown { .. })
    }
}

impl<T> Clone for Deletion<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Final(object) => Self::Final(object.clone()),
            Self::FinalStateUnknown { key, last_known } => {
                Self::FinalStateUnknown { key: key.clone(), last_known: last_known.clone() }
            }
        }
    }
}

impl<T> From<T> for Deletion<T> {
    fn from(object: T) -> Self {
        Self::Final(Arc::new(object))
    }
}

impl<T> From<Arc<T>> for Deletion<T> {
    fn from(object: Arc<T>) -> Self {
        Self::Final(object)
    }
}

/// One change of one object, and the object's state after it.
///
/// A variant says how the change became known, not what it means for the consumer: an `Added` of an object that the
/// consumer already has is an update.
///
/// The enum is exhaustive on purpose: a consumer that skipped an unknown delta would lose a change.
#[derive(Debug, PartialEq, Eq)]
pub enum Delta<T> {
    /// The watch sent ADDED.
    Added(Arc<T>),
    /// The watch sent MODIFIED.
    Updated(Arc<T>),
    /// The object was deleted.
    Deleted(Deletion<T>),
    /// A list contained the object. It may be new, changed or unchanged.
    Replaced(Arc<T>),
    /// A resync repeats the object, unchanged.
    Sync(Arc<T>),
    /// A whole list, which the consumer compares with its store. Only an atomic RealFIFO produces this delta.
    ReplacedAll {
        /// The list's resourceVersion.
        resource_version: String,
        /// The objects, in the order of the list.
        objects: Vec<Arc<T>>,
    },
    /// A resync of everything in the consumer's store. Only an atomic RealFIFO produces this delta.
    SyncAll,
    /// A bookmark: the watch has sent every change up to this resourceVersion. Only an atomic RealFIFO produces this
    /// delta.
    Bookmark {
        /// The resourceVersion up to which every change has come.
        resource_version: String,
    },
}

impl<T> Delta<T> {
    /// Returns client-go's name of the change: `Added`, `Updated`, and so on.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Added(_) => "Added",
            Self::Updated(_) => "Updated",
            Self::Deleted(_) => "Deleted",
            Self::Replaced(_) => "Replaced",
            Self::Sync(_) => "Sync",
            Self::ReplacedAll { .. } => "ReplacedAll",
            Self::SyncAll => "SyncAll",
            Self::Bookmark { .. } => "Bookmark",
        }
    }

    pub(crate) fn is_tombstone(&self) -> bool {
        matches!(self, Self::Deleted(deletion) if deletion.is_tombstone())
    }

    /// Returns the changed object; for a tombstone its last known state, if any. `None` if the delta is not about one
    /// object.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Added(object) | Self::Updated(object) | Self::Replaced(object) | Self::Sync(object) => Some(object),
            Self::Deleted(deletion) => deletion.object(),
            Self::ReplacedAll { .. } | Self::SyncAll | Self::Bookmark { .. } => None,
        }
    }
}

impl<T> Clone for Delta<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Added(object) => Self::Added(object.clone()),
            Self::Updated(object) => Self::Updated(object.clone()),
            Self::Deleted(deletion) => Self::Deleted(deletion.clone()),
            Self::Replaced(object) => Self::Replaced(object.clone()),
            Self::Sync(object) => Self::Sync(object.clone()),
            Self::ReplacedAll { resource_version, objects } => {
                Self::ReplacedAll { resource_version: resource_version.clone(), objects: objects.clone() }
            }
            Self::SyncAll => Self::SyncAll,
            Self::Bookmark { resource_version } => Self::Bookmark { resource_version: resource_version.clone() },
        }
    }
}

/// The changes that a queue hands out together, oldest first; never empty. From DeltaFIFO they all belong to one key.
///
/// Dereferences to a slice, and `for delta in deltas` consumes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Deltas<T>(SmallVec<[Delta<T>; 1]>);

impl<T> Deltas<T> {
    pub(crate) fn one(delta: Delta<T>) -> Self {
        Self(smallvec![delta])
    }

    /// Collects the deltas. The iterator must yield at least one.
    pub(crate) fn all(deltas: impl Iterator<Item = Delta<T>>) -> Self {
        let deltas = Self(deltas.collect());
        debug_assert!(!deltas.is_empty());
        deltas
    }

    pub(crate) fn into_vec(self) -> Vec<Delta<T>> {
        self.0.into_vec()
    }

    pub(crate) fn into_oldest(self) -> Delta<T> {
        self.0.into_iter().next().expect("Deltas hold at least one delta")
    }

    pub(crate) fn push(&mut self, delta: Delta<T>) {
        self.0.push(delta);
    }

    /// Returns the first change.
    pub fn oldest(&self) -> &Delta<T> {
        self.0.first().expect("Deltas hold at least one delta")
    }

    /// Returns the last change.
    pub fn newest(&self) -> &Delta<T> {
        self.0.last().expect("Deltas hold at least one delta")
    }

    /// Merges the last two changes if both are deletions. Returns true if they were merged.
    ///
    /// A deletion with the final state wins over a tombstone, which may be stale. Of two final states the older is
    /// kept, of two tombstones the newer. Upstream: `dedupDeltas` and `isDeletionDup`.
    pub(crate) fn dedupe(&mut self) -> bool {
        let [.., Delta::Deleted(older), Delta::Deleted(_)] = &self.0[..] else { return false };
        let removed = if older.is_tombstone() { self.0.len() - 2 } else { self.0.len() - 1 };
        self.0.remove(removed);
        true
    }
}

impl<T> Clone for Deltas<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for Deltas<T> {
    type Target = [Delta<T>];

    fn deref(&self) -> &[Delta<T>] {
        &self.0
    }
}

impl<T> IntoIterator for Deltas<T> {
    type Item = Delta<T>;
    type IntoIter = IntoDeltas<T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        IntoDeltas(self.0.into_iter())
    }
}

/// An iterator over the deltas of [`Deltas`], oldest first.
#[derive(Debug)]
pub struct IntoDeltas<T>(smallvec::IntoIter<[Delta<T>; 1]>);

impl<T> Iterator for IntoDeltas<T> {
    type Item = Delta<T>;

    #[inline]
    fn next(&mut self) -> Option<Delta<T>> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for IntoDeltas<T> {}

impl<'a, T> IntoIterator for &'a Deltas<T> {
    type Item = &'a Delta<T>;
    type IntoIter = std::slice::Iter<'a, Delta<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Tells whether an added object belongs to the first list (client-go's `isInInitialList`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialList {
    /// The object existed when the watch began.
    Yes,
    /// The object was added later.
    No,
}

impl From<bool> for InitialList {
    fn from(initial: bool) -> Self {
        if initial { Self::Yes } else { Self::No }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn final_state(value: i32) -> Delta<i32> {
        Delta::Deleted(Deletion::Final(Arc::new(value)))
    }

    fn tombstone(value: i32) -> Delta<i32> {
        Delta::Deleted(Deletion::FinalStateUnknown { key: "a".into(), last_known: Some(Arc::new(value)) })
    }

    fn merged(older: Delta<i32>, newer: Delta<i32>) -> Deltas<i32> {
        let mut deltas = Deltas::one(older);
        deltas.push(newer);
        deltas.dedupe();
        deltas
    }

    #[test]
    fn two_deletions_in_a_row_become_one_and_a_final_state_wins_over_a_tombstone() {
        assert_eq!(merged(final_state(1), final_state(2)), Deltas::one(final_state(1)));
        assert_eq!(merged(final_state(1), tombstone(2)), Deltas::one(final_state(1)));
        assert_eq!(merged(tombstone(1), final_state(2)), Deltas::one(final_state(2)));
        assert_eq!(merged(tombstone(1), tombstone(2)), Deltas::one(tombstone(2)));
    }

    #[test]
    fn only_deletions_merge() {
        let sync = || Delta::Sync(Arc::new(1));
        assert_eq!(merged(sync(), sync()).len(), 2);
        assert_eq!(merged(sync(), final_state(1)).len(), 2);
        assert_eq!(merged(final_state(1), sync()).len(), 2);
    }
}
