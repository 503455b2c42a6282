//! Content: the state that snapshots share with the store, so that a reader never blocks the writer. Each object has a
//! slot, which is a number, because sets of slots are smaller than sets of keys.

use std::sync::Arc;

use super::slots::Slots;
use super::stored_index::StoredIndex;

/// Objects, their keys and their indices. A clone takes constant time and shares everything with the original.
#[derive(Debug)]
pub(crate) struct Content<T> {
    /// The objects by slot. A slot has an object exactly when it has a key.
    pub objects: Slots<Arc<T>>,
    pub keys: Slots<Arc<str>>,
    pub len: usize,
    /// In the order of addition; never removed. An index holds exactly the slots of the objects that have a value in
    /// it.
    pub indices: Vec<StoredIndex<T>>,
}

impl<T> Content<T> {
    /// Makes a content without objects. The indices must be empty too.
    pub fn empty(indices: Vec<StoredIndex<T>>) -> Self {
        Self { objects: Slots::default(), keys: Slots::default(), len: 0, indices }
    }
}

impl<T> Clone for Content<T> {
    fn clone(&self) -> Self {
        Self { objects: self.objects.clone(), keys: self.keys.clone(), len: self.len, indices: self.indices.clone() }
    }
}
