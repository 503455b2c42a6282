//! RealFIFO: the queue of client-go since 0.33. Unlike DeltaFIFO, it neither merges nor drops changes. Upstream:
//! `tools/cache/the_real_fifo.go`.

mod reconcile;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
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
use crate::lock::MutexGuard;

/// The largest number of deltas in a batch, as upstream (`defaultBatchSize`).
pub(crate) const BATCH: usize = 1000;

/// A queue of deltas in the order of their arrival, across all keys (client-go's `RealFIFO`). A pop takes one delta, or
/// a batch of deltas with different keys.
///
/// [`RealFifo::new`] compares a list with the known objects and queues a delta for each object. [`RealFifo::atomic`],
/// which informers use by default, queues one [`Delta::ReplacedAll`], which the consumer compares with its store.
///
/// ```
/// use kube_informers::cache::RealFifo;
///
/// let queue = RealFifo::atomic(|word: &&str| word.to_string());
/// queue.add("pod1")?;
/// queue.add("pod2")?;
/// queue.delete("pod1")?;
/// assert_eq!(queue.len(), 3);
/// assert_eq!(queue.try_pop().map(|deltas| deltas.len()), Some(1));
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct RealFifo<T> {
    core: FifoCore<T, VecDeque<Delta<T>>>,
    list_mode: ListMode<T>,
    batches: Batches,
}

/// The way in which the queue passes on lists and resyncs.
enum ListMode<T> {
    /// A delta for each object, after a comparison with the known objects.
    Reconciled(Arc<dyn KnownObjects<T>>),
    /// One delta for the whole list or resync.
    Atomic { bookmarks: bool, lock: WhileProcessing },
}

/// The queue's lock while deltas are processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhileProcessing {
    /// The lock is held: writers wait.
    #[default]
    Locked,
    /// The lock is released: writers proceed while fewer than 2,000 deltas are queued. With more, the lock is held,
    /// which slows writers down to the consumer's pace.
    Unlocked,
}

/// The unit in which a Controller pops deltas.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Batches {
    /// One delta at a time.
    No,
    /// Up to 1,000 deltas of different keys at once.
    #[default]
    Yes,
}

type State<T> = FifoState<VecDeque<Delta<T>>>;

impl<T> RealFifo<T> {
    /// Makes an empty queue that compares each list with the known objects, which are the consumer's store. `key`
    /// computes an object's key.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static, known: Arc<dyn KnownObjects<T>>) -> Self {
        Self { core: FifoCore::new(key), list_mode: ListMode::Reconciled(known), batches: Batches::default() }
    }

    /// Makes an empty queue that passes a list or a resync to the consumer as one delta.
    pub fn atomic<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let list_mode = ListMode::Atomic { bookmarks: false, lock: WhileProcessing::Locked };
        Self { core: FifoCore::new(key), list_mode, batches: Batches::default() }
    }

    /// Sets whether the queue's lock is held while deltas are processed. Only an atomic queue can release it, and other
    /// queues ignore this option: they compare lists with the known objects, which must not change meanwhile.
    #[must_use]
    pub fn while_processing(mut self, choice: WhileProcessing) -> Self {
        if let ListMode::Atomic { lock, .. } = &mut self.list_mode {
            *lock = choice;
        }
        self
    }

    /// Makes an atomic queue take bookmarks too, which update the resourceVersion of the consumer's store. Other queues
    /// ignore this option.
    #[must_use]
    pub fn bookmarks(mut self) -> Self {
        if let ListMode::Atomic { bookmarks, .. } = &mut self.list_mode {
            *bookmarks = true;
        }
        self
    }

    /// Sets whether a Controller pops single deltas or batches.
    #[must_use]
    pub fn batches(mut self, batches: Batches) -> Self {
        self.batches = batches;
        self
    }

    /// Returns the number of queued deltas.
    pub fn len(&self) -> usize {
        self.core.lock().queued.len()
    }

    /// Returns a copy of the queued deltas in queue order. (client-go's RealFIFO cannot be listed.)
    pub fn list(&self) -> Vec<Delta<T>> {
        self.core.lock().queued.iter().cloned().collect()
    }

    /// Returns a signal that fires after the last delta of the first list was processed.
    pub fn synced(&self) -> Done {
        self.core.synced()
    }

    /// Pops the first delta, or returns `None` if the queue is empty.
    pub fn try_pop(&self) -> Option<Deltas<T>> {
        let mut state = self.core.lock();
        let initial = state.initial_list();
        let deltas = Deltas::one(state.queued.pop_front()?);
        self.emit_popped(&deltas, initial);
        self.core.record_popped(&mut state, 1);
        Some(deltas)
    }

    /// Waits for a delta, pops it and calls `process` with it. `process` must not use the queue, unless the queue is
    /// [`WhileProcessing::Unlocked`].
    ///
    /// Dropping the future before it is ready loses nothing.
    ///
    /// # Errors
    /// The queue is closed and empty.
    pub async fn pop<R>(&self, process: impl FnOnce(Deltas<T>, InitialList) -> R) -> Result<R, Closed> {
        self.take(|_| 1, process).await
    }

    /// Waits for deltas, pops up to 1,000 of them and calls `process.process` with a single delta or
    /// `process.process_batch` with several.
    ///
    /// The deltas of a batch have different keys, a batch never mixes the first list with later deltas, and a delta
    /// that is not about one object, such as `ReplacedAll`, is popped alone.
    ///
    /// # Errors
    /// The outer error: the queue is closed and empty. The inner error is that of `process`.
    pub async fn pop_batch(
        &self,
        process: &mut (impl ProcessDeltas<T> + ?Sized),
    ) -> Result<Result<(), BoxError>, Closed> {
        let number = |state: &State<T>| self.batch_len(state);
        let result = self.take(number, |deltas, initial| match deltas.len() {
            1 => process.process(deltas, initial),
            _ => process.process_batch(deltas.into_vec(), initial),
        });
        result.await
    }

    /// Returns the number of deltas from the front that form the next batch, at least 1.
    fn batch_len(&self, state: &State<T>) -> usize {
        let initial = state.initial_population_count();
        // A batch never mixes the first list with later deltas.
        let most = if initial > 0 { initial.min(BATCH) } else { BATCH };
        let most = most.min(state.queued.len());
        if most == 1 {
            return 1; // the usual case, which needs no keys
        }
        let mut keys = HashSet::with_hasher(RandomState::default());
        for (number, delta) in state.queued.iter().take(most).enumerate() {
            match self.delta_key(delta) {
                None => return number.max(1), // a delta without a key is a batch of its own
                Some(Ok(key)) => {
                    if !keys.insert(key) {
                        return number;
                    }
                }
                Some(Err(_)) => return number + 1, // as upstream, the batch ends with a delta whose key fails
            }
        }
        most
    }

    /// Returns the key of a delta's object; `None` for a delta that is not about one object.
    fn delta_key(&self, delta: &Delta<T>) -> Option<Result<String, KeyError>> {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                Some(self.key_of(object))
            }
            Delta::Deleted(deletion) => Some(self.core.deletion_key(deletion)),
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => None,
        }
    }

    async fn pop_next(&self, process: &mut dyn ProcessDeltas<T>) -> Result<Result<(), BoxError>, Closed> {
        match self.batches {
            Batches::No => self.pop(|deltas, initial| process.process(deltas, initial)).await,
            Batches::Yes => self.pop_batch(process).await,
        }
    }

    /// Waits for deltas, pops `number` of them, processes them, and only then counts them as popped.
    async fn take<R>(
        &self,
        number: impl Fn(&State<T>) -> usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> Result<R, Closed> {
        let next = self.core.next(VecDeque::is_empty, |state| {
            let number = number(&state);
            self.process(state, number, process)
        });
        next.await
    }

    /// Pops `number` deltas and processes them, with or without the lock.
    fn process<R>(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        number: usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> R {
        let initial = state.initial_list();
        let unlock = self.unlocks_while_processing(&state);
        let deltas = Deltas::all(state.queued.drain(..number));
        self.emit_popped(&deltas, initial);
        let (result, mut state) = if unlock {
            drop(state);
            (process(deltas, initial), self.core.lock())
        } else {
            (process(deltas, initial), state)
        };
        self.core.record_popped(&mut state, number);
        result
    }

    fn emit_popped(&self, deltas: &Deltas<T>, initial: InitialList) {
        self.core.observer.emit::<T>(|| Event::Popped {
            queue: QueueName::RealFifo,
            key: None,
            deltas: deltas.iter().map(Delta::kind).collect(),
            initial: initial == InitialList::Yes,
        });
    }

    fn unlocks_while_processing(&self, state: &State<T>) -> bool {
        matches!(self.list_mode, ListMode::Atomic { lock: WhileProcessing::Unlocked, .. })
            && state.queued.len() < 2 * BATCH
    }

    /// Appends a delta. `key` is for the observer only.
    fn push(&self, state: &mut State<T>, delta: Delta<T>, key: Option<&str>) {
        self.core.observer.emit::<T>(|| Event::Queued {
            queue: QueueName::RealFifo,
            delta: delta.kind(),
            key: key.map(str::to_owned),
            tombstone: delta.is_tombstone(),
            known_objects: matches!(self.list_mode, ListMode::Reconciled(_)),
        });
        state.queued.push_back(delta);
        state.must_wake = true;
    }
}

impl<T> RealFifo<T> {
    /// Queues an `Added`.
    ///
    /// # Errors
    /// The key function or the transformer failed; nothing was queued.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(object.into(), Delta::Added)
    }

    /// Queues an `Updated`.
    ///
    /// # Errors
    /// As [`RealFifo::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(object.into(), Delta::Updated)
    }

    /// Queues a `Deleted`, also of a key that is neither queued nor known.
    ///
    /// # Errors
    /// As [`RealFifo::add`].
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        match deletion.into() {
            Deletion::Final(object) => self.write(object, |object| Delta::Deleted(Deletion::Final(object))),
            Deletion::FinalStateUnknown { key, last_known } => {
                self.core.change(|state| {
                    self.core.populate(state);
                    let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
                    self.push(state, Delta::Deleted(tombstone), Some(&key));
                });
                Ok(())
            }
        }
    }

    fn write(&self, object: Arc<T>, delta: impl FnOnce(Arc<T>) -> Delta<T>) -> Result<(), Error> {
        self.core.change(|state| {
            self.core.populate(state);
            let key = self.core.key_if_needed(&object)?;
            let object = self.core.transform(object)?;
            self.push(state, delta(object), key.as_deref());
            Ok(())
        })
    }
}

impl<T> fmt::Debug for RealFifo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.core.lock().queued.iter().map(Delta::kind).collect();
        f.debug_tuple("RealFifo").field(&kinds).finish()
    }
}

impl_shared_methods!(RealFifo);
