//! Content: all that a reader of a store can see, as of one moment.

use std::sync::Arc;

use super::slots::Slots;
use super::stored_index::StoredIndex;

/// Objects, their keys and their indices. A clone takes constant time and shares everything with the original.
#[derive(Debug)]
pub(crate) struct Content<T> {
    /// A place has an object exactly when it has a key.
    pub objects: Slots<Arc<T>>,
    pub keys: Slots<Arc<str>>,
    /// The number of objects.
    pub len: usize,
    /// In the order in which they were added; none is ever removed. Each holds exactly the places of the objects that have a value in it.
    pub indices: Vec<StoredIndex<T>>,
}

impl<T> Content<T> {
    /// Nothing, in so many indices.
    pub fn empty(indices: Vec<StoredIndex<T>>) -> Self {
        Self { objects: Slots::default(), keys: Slots::default(), len: 0, indices }
    }
}

impl<T> Clone for Content<T> {
    fn clone(&self) -> Self {
        Self { objects: self.objects.clone(), keys: self.keys.clone(), len: self.len, indices: self.indices.clone() }
    }
}
