//! DeltaFIFO: the queue between a Reflector and its consumer in client-go up to 0.32. It has one slot for each key,
//! which keeps all changes of the key in order until it is popped. Upstream: `tools/cache/delta_fifo.go`.

mod items;
mod relist;

use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use super::fifo_core::{FifoCore, FifoState};
use super::queue::{ProcessDeltas, Queue};
use super::shared_methods::impl_shared_methods;
use crate::cache::delta::{Deletion, Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Closed, Error, KeyError};
use crate::cache::key::IntoKey;
use crate::cache::observe::{Event, Observer, QueueName};
use crate::cache::signal::Done;
use crate::cache::store::{KnownObjects, ReflectorStore, Transformer};
use items::Items;

/// A queue of keys in first-in order. Each key holds all its changes since it was last popped (client-go's
/// `DeltaFIFO`).
///
/// A slow consumer still sees every change of an object, but in one pop. Without known objects, a deletion of a key
/// that is not queued is dropped, because the queue cannot tell it from a deletion that was popped before.
///
/// ```
/// use kube_informers::cache::DeltaFifo;
///
/// let queue = DeltaFifo::new(|word: &&str| word.to_string());
/// queue.add("pod1")?;
/// queue.add("pod2")?;
/// queue.delete("pod1")?;
/// let deltas = queue.try_pop().expect("two keys are queued");
/// assert_eq!(deltas.iter().map(|delta| delta.kind()).collect::<Vec<_>>(), ["Added", "Deleted"]);
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct DeltaFifo<T> {
    core: FifoCore<T, Items<T>>,
    /// The objects that the consumer already has, usually its store; `None` if the queue was given none.
    known: Option<Arc<dyn KnownObjects<T>>>,
    relisted: Relisted,
}

/// The kind of delta that a list produces for each of its objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relisted {
    /// `Sync`, as for a resync. This is the behaviour of client-go's `NewDeltaFIFO`.
    #[default]
    Sync,
    /// `Replaced`, which distinguishes a list from a resync (client-go's `EmitDeltaTypeReplaced`).
    Replaced,
}

type State<T> = FifoState<Items<T>>;

impl<T> DeltaFifo<T> {
    /// Makes an empty queue without known objects. `key` computes an object's key.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self { core: FifoCore::new(key), known: None, relisted: Relisted::default() }
    }

    /// Sets the known objects: the consumer's store (client-go's `KnownObjects`). With them, the queue accepts a
    /// deletion of an object that is not queued, a list produces tombstones for objects that vanished, and a resync
    /// repeats the known objects.
    #[must_use]
    pub fn known_objects(mut self, known: Arc<dyn KnownObjects<T>>) -> Self {
        self.known = Some(known);
        self
    }

    /// Sets the kind of delta that a list produces for each of its objects.
    #[must_use]
    pub fn relisted(mut self, relisted: Relisted) -> Self {
        self.relisted = relisted;
        self
    }

    /// Returns the number of queued keys.
    pub fn len(&self) -> usize {
        self.core.lock().queued.len()
    }

    /// Returns the newest state of every queued object, in queue order; for a tombstone its last known state, if any.
    pub fn list(&self) -> Vec<Arc<T>> {
        let state = self.core.lock();
        state.queued.iter().filter_map(|(_, deltas)| deltas.newest().object().cloned()).collect()
    }

    /// Returns the queued keys, in queue order.
    pub fn list_keys(&self) -> Vec<String> {
        self.core.lock().queued.iter().map(|(key, _)| key.clone()).collect()
    }

    /// Returns a copy of the deltas that are queued under this key.
    pub fn get_by_key(&self, key: &str) -> Option<Deltas<T>> {
        self.core.lock().queued.get(key).cloned()
    }

    /// Returns a signal that fires when the last key of the first list is popped, before its deltas are processed.
    pub fn synced(&self) -> Done {
        self.core.synced()
    }

    /// Pops the deltas of the first key, or returns `None` if the queue is empty.
    pub fn try_pop(&self) -> Option<Deltas<T>> {
        let (deltas, _) = self.take(&mut self.core.lock())?;
        Some(deltas)
    }

    /// Waits for a key, pops its deltas and calls `process` with them.
    ///
    /// `process` runs under the queue's lock and must not use the queue. Writers wait, because they decide by the queue
    /// and the known objects, and these agree only after `process` has updated the known objects.
    ///
    /// Dropping the future before it is ready loses nothing.
    ///
    /// # Errors
    /// The queue is closed and empty.
    pub async fn pop<R>(&self, process: impl FnOnce(Deltas<T>, InitialList) -> R) -> Result<R, Closed> {
        let popped = self.core.next(Items::is_empty, |mut state| {
            let (deltas, initial) = self.take(&mut state)?;
            let result = process(deltas, initial);
            drop(state); // only now: `process` must run under the lock
            Some(result)
        });
        popped.await?.ok_or(Closed)
    }

    fn take(&self, state: &mut State<T>) -> Option<(Deltas<T>, InitialList)> {
        let initial = state.initial_list();
        let (key, deltas) = state.queued.pop()?;
        self.core.record_popped(state, 1);
        self.core.observer.emit::<T>(|| Event::Popped {
            queue: QueueName::DeltaFifo,
            key: Some(key),
            deltas: deltas.iter().map(Delta::kind).collect(),
            initial: initial == InitialList::Yes,
        });
        Some((deltas, initial))
    }
}

impl<T> DeltaFifo<T> {
    /// Queues an `Added`.
    ///
    /// # Errors
    /// The key function or the transformer failed; nothing was queued.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(Delta::Added, object.into())
    }

    /// Queues an `Updated`, also of a key that was never added.
    ///
    /// # Errors
    /// As [`DeltaFifo::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(Delta::Updated, object.into())
    }

    /// Queues a `Deleted`. If the key is neither queued nor known, the deletion is dropped, because the consumer has
    /// presumably seen it already.
    ///
    /// # Errors
    /// As [`DeltaFifo::add`].
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        let deletion = deletion.into();
        let key = self.deletion_key(&deletion)?;
        self.core.change(|state| {
            self.core.populate(state);
            // As upstream, a look-up that fails counts as known.
            let known = self.known.as_ref().is_some_and(|known| !matches!(known.get_by_key(&key), Ok(None)));
            if !known && !state.queued.contains(&key) {
                let known_objects = self.known.is_some();
                self.core.observer.emit::<T>(|| Event::Dropped { key, known_objects });
                return Ok(());
            }
            let deletion = match deletion {
                Deletion::Final(object) => Deletion::Final(self.core.transform(object)?),
                tombstone @ Deletion::FinalStateUnknown { .. } => tombstone,
            };
            self.push(state, key, Delta::Deleted(deletion));
            Ok(())
        })
    }

    /// Returns a tombstone's own key, else the key of the deleted object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn deletion_key(&self, deletion: &Deletion<T>) -> Result<String, KeyError> {
        self.core.deletion_key(deletion)
    }

    /// Ignores bookmarks. DeltaFIFO does not pass resourceVersions to its consumer.
    fn bookmark(&self, _resource_version: &str) {}

    async fn pop_next(&self, process: &mut dyn ProcessDeltas<T>) -> Result<Result<(), BoxError>, Closed> {
        self.pop(|deltas, initial| process.process(deltas, initial)).await
    }

    fn write(&self, delta: fn(Arc<T>) -> Delta<T>, object: Arc<T>) -> Result<(), Error> {
        self.core.change(|state| {
            self.core.populate(state);
            self.queue(state, delta, object)
        })
    }

    /// Transforms the object and queues the delta under the key of the untransformed object.
    fn queue(&self, state: &mut State<T>, delta: fn(Arc<T>) -> Delta<T>, object: Arc<T>) -> Result<(), Error> {
        let key = self.key_of(&object)?;
        let object = self.core.transform(object)?;
        self.push(state, key, delta(object));
        Ok(())
    }

    /// Queues a delta under its key, and merges it with the last one if both are deletions.
    fn push(&self, state: &mut State<T>, key: String, delta: Delta<T>) {
        let observer = &self.core.observer;
        state.must_wake = true;
        observer.emit::<T>(|| Event::Queued {
            queue: QueueName::DeltaFifo,
            delta: delta.kind(),
            key: Some(key.clone()),
            tombstone: delta.is_tombstone(),
            known_objects: self.known.is_some(),
        });
        if let Some(key) = state.queued.push(key, delta) {
            observer.emit::<T>(|| Event::Merged { key: key.to_owned() });
        }
    }
}

impl<T> fmt::Debug for DeltaFifo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeltaFifo").field(&self.list_keys()).finish()
    }
}

impl_shared_methods!(DeltaFifo);
