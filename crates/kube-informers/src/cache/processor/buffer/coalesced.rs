//! Coalesced buffer: merges the notifications of each object, so its size is limited by the number of objects, and the
//! handler gets the newest state at once.

use std::collections::{BTreeMap, HashMap};

use super::super::notification::Notification;
use super::PutOutcome;
use crate::cache::delta::{Deletion, InitialList};
use crate::cache::key::Object;

/// A buffer with one slot for each object. Objects are popped in the order in which they entered the buffer.
pub(in crate::cache::processor) struct Coalesced<T> {
    /// The slots by their numbers, which grow, so the first slot is the oldest.
    by_order: BTreeMap<u64, Slot<T>>,
    /// The number of each object's slot.
    by_key: HashMap<String, u64>,
    /// The number of the next slot.
    next: u64,
    /// The number of notifications in all slots.
    len: usize,
}

/// The deletion of the state that the handler knows, then the newest state. Either may be missing.
struct Slot<T> {
    key: String,
    deletion: Option<Deletion<T>>,
    /// An add or an update.
    state: Option<Notification<T>>,
}

impl<T> Default for Coalesced<T> {
    fn default() -> Self {
        Self { by_order: BTreeMap::new(), by_key: HashMap::new(), next: 0, len: 0 }
    }
}

impl<T> Coalesced<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn pop(&mut self) -> Option<Notification<T>> {
        let (&order, slot) = self.by_order.iter_mut().next()?;
        let deletion = slot.deletion.take().map(Notification::Delete);
        let notification = deletion.or_else(|| slot.state.take());
        self.len -= 1;
        self.forget_if_empty(order);
        notification
    }

    fn forget_if_empty(&mut self, order: u64) {
        if self.by_order.get(&order).is_some_and(|slot| slot.len() == 0)
            && let Some(slot) = self.by_order.remove(&order)
        {
            self.by_key.remove(&slot.key);
        }
    }
}

impl<T: Object> Coalesced<T> {
    /// Merges the notification into the object's slot, or appends a slot.
    pub fn put(&mut self, notification: Notification<T>) -> PutOutcome {
        let key = notification.key();
        let order = self.by_key.get(&key);
        let Some((&order, slot)) = order.and_then(|order| Some((order, self.by_order.get_mut(order)?))) else {
            self.append(key, notification);
            return PutOutcome::Appended;
        };
        let before = slot.len();
        let initial_adds_gone = slot.merge(notification);
        let after = slot.len();
        self.len = self.len + after - before;
        self.forget_if_empty(order);
        if after > before { PutOutcome::Appended } else { PutOutcome::Merged { initial_adds_gone } }
    }

    fn append(&mut self, key: String, notification: Notification<T>) {
        self.by_key.insert(key.clone(), self.next);
        self.by_order.insert(self.next, Slot::of(key, notification));
        self.next += 1;
        self.len += 1;
    }
}

impl<T> Slot<T> {
    fn of(key: String, notification: Notification<T>) -> Self {
        match notification {
            Notification::Delete(deletion) => Self { key, deletion: Some(deletion), state: None },
            state => Self { key, deletion: None, state: Some(state) },
        }
    }

    fn len(&self) -> usize {
        usize::from(self.deletion.is_some()) + usize::from(self.state.is_some())
    }

    /// Merges a notification. Returns the number of initial adds that the handler will not get any more.
    fn merge(&mut self, notification: Notification<T>) -> usize {
        let initial_adds_before =
            notification.initial_adds() + self.state.as_ref().map_or(0, Notification::initial_adds);
        match notification {
            Notification::Delete(deletion) => self.delete(deletion),
            change => self.state = Some(merge_changes(self.state.take(), change)),
        }
        initial_adds_before - self.state.as_ref().map_or(0, Notification::initial_adds)
    }

    /// A buffered add is dropped together with the deletion, because the handler never got that object.
    fn delete(&mut self, deletion: Deletion<T>) {
        if !matches!(self.state.take(), Some(Notification::Add { .. })) {
            self.deletion = Some(deletion);
        }
    }
}

/// Merges an add or an update with the buffered one of the same object.
fn merge_changes<T>(before: Option<Notification<T>>, change: Notification<T>) -> Notification<T> {
    use Notification::{Add, Update};
    match (before, change) {
        // The handler has not got the object yet, so it remains an add, with the newest state.
        (Some(Add { initial: InitialList::Yes, .. }), Add { object, .. } | Update { new: object, .. }) => {
            Add { object, initial: InitialList::Yes }
        }
        (Some(Add { initial: InitialList::No, .. }), Update { new: object, .. }) => {
            Add { object, initial: InitialList::No }
        }
        (Some(Update { old, .. }), Add { object: new, .. } | Update { new, .. }) => Update { old, new },
        (_, change) => change,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::Namespace;

    use super::*;
    use Notification::{Add, Delete, Update};

    fn object(name: &str, version: u32) -> Arc<Namespace> {
        let mut object = Namespace::default();
        object.metadata.name = Some(name.into());
        object.metadata.resource_version = Some(version.to_string());
        object.into()
    }

    fn add(name: &str, version: u32) -> Notification<Namespace> {
        Add { object: object(name, version), initial: InitialList::No }
    }

    fn update(name: &str, old: u32, new: u32) -> Notification<Namespace> {
        Update { old: object(name, old), new: object(name, new) }
    }

    fn delete(name: &str, version: u32) -> Notification<Namespace> {
        Delete(Deletion::Final(object(name, version)))
    }

    /// Puts the notifications into a buffer and returns everything that it pops.
    fn coalesce(notifications: impl IntoIterator<Item = Notification<Namespace>>) -> Vec<Notification<Namespace>> {
        let mut buffer = Coalesced::default();
        for notification in notifications {
            buffer.put(notification);
        }
        let mut out = Vec::new();
        while let Some(notification) = buffer.pop() {
            out.push(notification);
        }
        assert_eq!((buffer.len(), buffer.by_key.len(), buffer.by_order.len()), (0, 0, 0));
        out
    }

    #[test]
    fn changes_of_one_object_merge_into_one() {
        assert_eq!(coalesce([add("a", 1), update("a", 1, 2), update("a", 2, 3)]), [add("a", 3)]);
        assert_eq!(coalesce([update("a", 1, 2), update("a", 2, 3)]), [update("a", 1, 3)]);
        assert_eq!(coalesce([update("a", 1, 2), delete("a", 3)]), [delete("a", 3)]);
    }

    #[test]
    fn an_object_that_was_added_and_deleted_produces_no_notification() {
        assert_eq!(coalesce([add("a", 1), delete("a", 2)]), []);
        assert_eq!(coalesce([delete("a", 1), add("a", 2), delete("a", 3)]), [delete("a", 1)]);
    }

    #[test]
    fn an_object_that_was_deleted_and_added_again_is_a_deletion_and_an_add() {
        let out = coalesce([delete("a", 1), add("a", 2), update("a", 2, 3)]);
        assert_eq!(out, [delete("a", 1), add("a", 3)]);
    }

    #[test]
    fn objects_are_popped_in_the_order_in_which_they_entered() {
        let out = coalesce([update("a", 1, 2), add("b", 3), update("a", 2, 4), add("c", 5)]);
        assert_eq!(out, [update("a", 1, 4), add("b", 3), add("c", 5)]);
    }

    #[test]
    fn initial_adds_that_are_merged_away_are_counted() {
        let mut buffer = Coalesced::default();
        let initial = || Add { object: object("a", 1), initial: InitialList::Yes };
        assert_eq!(buffer.put(initial()), PutOutcome::Appended);
        assert_eq!(buffer.put(update("a", 1, 2)), PutOutcome::Merged { initial_adds_gone: 0 });
        assert_eq!(buffer.put(delete("a", 3)), PutOutcome::Merged { initial_adds_gone: 1 });
        assert_eq!(buffer.put(initial()), PutOutcome::Appended);
        assert_eq!(buffer.put(initial()), PutOutcome::Merged { initial_adds_gone: 1 });
        assert_eq!(buffer.pop(), Some(initial()));
    }
}
