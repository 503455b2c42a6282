//! Content: all that a reader of a store can see, as of one moment.

use std::sync::Arc;

use super::error::Error;
use super::index::Index;
use super::slots::Slots;

/// Objects, their keys and their indices. A clone takes constant time and shares everything with the original.
#[derive(Debug)]
pub(crate) struct Content<T> {
    /// A place has an object exactly when it has a key.
    pub objects: Slots<Arc<T>>,
    pub keys: Slots<Arc<str>>,
    /// The number of objects.
    pub len: usize,
    /// By name. Each holds exactly the places of the objects that have a value in it.
    pub indices: Vec<Index<T>>,
}

impl<T> Content<T> {
    /// Nothing, in so many indices.
    pub fn empty(indices: Vec<Index<T>>) -> Self {
        Self { objects: Slots::default(), keys: Slots::default(), len: 0, indices }
    }

    pub fn index(&self, name: &str) -> Result<&Index<T>, Error> {
        self.indices.iter().find(|index| index.name() == name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))
    }
}

impl<T> Clone for Content<T> {
    fn clone(&self) -> Self {
        Self { objects: self.objects.clone(), keys: self.keys.clone(), len: self.len, indices: self.indices.clone() }
    }
}
