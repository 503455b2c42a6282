//! IncrementalReplace: replaces a store's content in steps, because other tasks must run while a long list is prepared.

use std::sync::Arc;
use std::vec;

use crate::cache::delta::{Deletion, InitialList};
use crate::cache::error::Error;
use crate::cache::key::Object;
use crate::cache::processor::Notification;
use crate::cache::store::{Replaced, Replacement, Store};

/// A replacement in progress. Readers see the old content until [`finish`](Self::finish), and then the whole list. The
/// notifications are computed before the store is changed, so no other task may write to the store in between.
pub(in crate::cache) struct IncrementalReplace<T> {
    objects: vec::IntoIter<Arc<T>>,
    resource_version: String,
    initial: InitialList,
    replacement: Replacement<T>,
    /// The first slot of the old content that was not compared with the list yet.
    next_slot: usize,
    /// A deletion for each old object that is not in the list.
    deletions: Vec<Notification<T>>,
    /// An add or an update for each object of the list.
    listed: Vec<Notification<T>>,
}

impl<T: Object> IncrementalReplace<T> {
    pub fn new(store: &Store<T>, objects: Vec<Arc<T>>, resource_version: String, initial: InitialList) -> Self {
        let number = objects.len();
        Self {
            objects: objects.into_iter(),
            resource_version,
            initial,
            replacement: store.content.replacement(number),
            next_slot: 0,
            deletions: Vec::new(),
            listed: Vec::with_capacity(number),
        }
    }

    /// Prepares the next `number` objects, first of the list, then of the old content. Returns true if there are more.
    /// After an error of the store, the caller must not call [`finish`](Self::finish).
    pub fn prepare(&mut self, store: &Store<T>, number: usize) -> Result<bool, Error> {
        for object in self.objects.by_ref().take(number) {
            let key = store.key_of(&object)?;
            // Before the first list the store is empty, and a look-up for each object would take its lock in vain.
            let old = if self.replacement.old().len == 0 { None } else { store.get_by_key(&key) };
            self.replacement.put(&key, store.transform(object.clone())?);
            self.listed.push(Notification::stored(old, object, self.initial));
        }
        if self.objects.len() > 0 {
            return Ok(true);
        }
        let old = self.replacement.old();
        let end = old.keys.range().end;
        let part = self.next_slot..self.next_slot.saturating_add(number).min(end);
        self.next_slot = part.end;
        for slot in part {
            if let Some(key) = old.keys.get(slot)
                && !self.replacement.has(key)
            {
                let last_known = old.objects.get(slot).cloned();
                self.deletions
                    .push(Notification::Delete(Deletion::FinalStateUnknown { key: key.to_string(), last_known }));
            }
        }
        Ok(self.next_slot < end)
    }

    /// Stores the list after all of it was prepared. Returns the notifications, deletions first, and the old content.
    pub fn finish(self, store: &Store<T>) -> (impl Iterator<Item = Notification<T>> + use<T>, Replaced<T>) {
        let replaced = store.replace_with(self.replacement, &self.resource_version);
        (self.deletions.into_iter().chain(self.listed), replaced)
    }
}
