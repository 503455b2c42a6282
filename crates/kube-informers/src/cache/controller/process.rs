//! Applies deltas to a store and produces the notifications for handlers. The consumers of both kinds of informer
//! call it. Upstream: `processDeltas` and `processDeltasInBatch` in `tools/cache/controller.go`.

use std::collections::HashSet;

use super::incremental_replace::IncrementalReplace;
use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::Error;
use crate::cache::key::Object;
use crate::cache::processor::Notification;
use crate::cache::store::{Store, Transaction};

/// Applies each delta to the store, oldest first, and calls `sink` with a notification of each change (client-go's
/// `processDeltas`).
///
/// The store is changed before `sink` is called, so a handler that reads the store finds the state that the
/// notification describes. The store decides whether a notification is an add or an update, not the delta's name. To
/// call a handler from `sink`, see [`Notification::deliver`].
///
/// # Errors
/// The store refused a delta. The deltas before it are applied, the deltas after it are lost.
pub fn process_deltas<T: Object>(
    store: &Store<T>,
    deltas: Deltas<T>,
    initial: InitialList,
    sink: &mut dyn FnMut(Notification<T>),
) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                let old = store.put(object.clone())?;
                sink(Notification::stored(old, object, initial));
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                sink(Notification::Delete(deletion));
            }
            Delta::ReplacedAll { resource_version, objects } => {
                let mut list = IncrementalReplace::new(store, objects, resource_version, initial);
                list.prepare(store, usize::MAX)?;
                let (changes, replaced) = list.finish(store);
                drop(replaced); // the old content, which nothing needs any more
                changes.for_each(&mut *sink);
            }
            Delta::SyncAll => {
                for object in &store.list() {
                    sink(Notification::Update { old: object.clone(), new: object.clone() });
                }
            }
            Delta::Bookmark { resource_version } => store.bookmark(&resource_version),
        }
    }
    Ok(())
}

/// Applies deltas of different keys to the store in one transaction, then calls `sink` with the notifications, in order
/// (client-go's `processDeltasInBatch`).
///
/// # Errors
/// The store refused some deltas; `sink` gets the notifications of the rest. Or a delta is not about one object
/// ([`Error::NotBatchable`]); then nothing was applied.
pub fn process_deltas_in_batch<T: Object>(
    store: &Store<T>,
    batch: Vec<Delta<T>>,
    initial: InitialList,
    sink: &mut dyn FnMut(Notification<T>),
) -> Result<(), Error> {
    let (mut transactions, mut notifications) = (Vec::new(), Vec::new());
    for delta in batch {
        let (transaction, notification) = match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                let old = store.get(&object).ok().flatten();
                (Transaction::Put(object.clone()), Notification::stored(old, object, initial))
            }
            Delta::Deleted(deletion) => (Transaction::Delete(deletion.clone()), Notification::Delete(deletion)),
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => return Err(Error::NotBatchable),
        };
        transactions.push(transaction);
        notifications.push(notification);
    }
    let result = store.transaction(transactions);
    // The numbers of the operations that succeeded; `None` if all of them did.
    let successful: Option<HashSet<usize>> = match &result {
        Err(Error::Transaction(error)) => Some(error.successful.iter().copied().collect()),
        _ => None,
    };
    for (number, notification) in notifications.into_iter().enumerate() {
        if successful.as_ref().is_none_or(|numbers| numbers.contains(&number)) {
            sink(notification);
        }
    }
    result
}
