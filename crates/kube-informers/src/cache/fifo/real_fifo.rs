//! RealFIFO: every change in the order it came, none merged, none dropped. Upstream: `tools/cache/the_real_fifo.go`.

mod reconcile;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use futures::future::{BoxFuture, FutureExt};

use super::both::over_intake;
use super::intake::{self, Intake};
use super::queue::{ProcessDeltas, Queue};
use crate::cache::delta::{Deletion, Delta, Deltas, InitialList};
use crate::cache::done::Done;
use crate::cache::error::{BoxError, Closed, Error, KeyError};
use crate::cache::key::IntoKey;
use crate::cache::observe::{Event, Observer, QueueName};
use crate::cache::store::{KnownObjects, ReflectorStore, Transformer};
use crate::lock::MutexGuard;

/// The most deltas that a batch can have.
pub(crate) const BATCH: usize = 1000;

/// A log of deltas. Order holds across all keys; each delta is popped by itself, or in a batch of different keys.
///
/// A list is either told delta by delta, by comparing it with the known objects ([`RealFifo::new`]), or as one
/// [`Delta::ReplacedAll`] that the consumer compares with its store ([`RealFifo::atomic`], what informers use today).
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
    intake: Intake<T, VecDeque<Delta<T>>>,
    lists: Lists<T>,
    batches: Batches,
}

/// How a list is told.
enum Lists<T> {
    /// Delta by delta.
    Reconciled(Arc<dyn KnownObjects<T>>),
    /// As one delta, as is a resync.
    Atomic { bookmarks: bool, lock: WhileProcessing },
}

/// What writers do while a delta is processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhileProcessing {
    /// They wait.
    #[default]
    Locked,
    /// They go on, as long as fewer than 2,000 deltas are queued; then they wait, which bounds the queue.
    Unlocked,
}

/// How a consumer is given what is queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Batches {
    /// One delta after the other.
    No,
    /// Up to 1,000 deltas of different keys at once.
    #[default]
    Yes,
}

type Inside<T> = intake::Inside<VecDeque<Delta<T>>>;

impl<T> RealFifo<T> {
    /// An empty queue that compares each list with the known objects.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static, known: Arc<dyn KnownObjects<T>>) -> Self {
        Self { intake: Intake::new(key), lists: Lists::Reconciled(known), batches: Batches::default() }
    }

    /// An empty queue that hands a list and a resync to the consumer as one delta each. Writers wait while a delta is
    /// processed, and bookmarks are left out; see [`RealFifo::while_processing`] and [`RealFifo::bookmarks`].
    pub fn atomic<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let lists = Lists::Atomic { bookmarks: false, lock: WhileProcessing::Locked };
        Self { intake: Intake::new(key), lists, batches: Batches::default() }
    }

    /// What writers do while a delta is processed. Only an atomic queue can let them go on: the other one decides by the
    /// known objects, which must not change under it.
    #[must_use]
    pub fn while_processing(mut self, choice: WhileProcessing) -> Self {
        if let Lists::Atomic { lock, .. } = &mut self.lists {
            *lock = choice;
        }
        self
    }

    /// Queues bookmarks too, so that the consumer's store learns their resourceVersions. Only for an atomic queue.
    #[must_use]
    pub fn bookmarks(mut self) -> Self {
        if let Lists::Atomic { bookmarks, .. } = &mut self.lists {
            *bookmarks = true;
        }
        self
    }

    /// How a Controller is given what is queued.
    #[must_use]
    pub fn batches(mut self, batches: Batches) -> Self {
        self.batches = batches;
        self
    }

    /// The number of queued deltas.
    pub fn len(&self) -> usize {
        self.intake.lock().queued.len()
    }

    /// What is queued, in the order in which it will be popped. (client-go's RealFIFO cannot be listed.)
    pub fn list(&self) -> Vec<Delta<T>> {
        self.intake.lock().queued.iter().cloned().collect()
    }

    /// Fires when [`RealFifo::has_synced`] becomes true, after the last of the first list was processed.
    pub fn synced(&self) -> Done {
        self.intake.synced()
    }

    /// Takes the first delta, if there is one.
    pub fn try_pop(&self) -> Option<Deltas<T>> {
        let mut inside = self.intake.lock();
        let initial = inside.initial_list();
        let deltas = Deltas::one(inside.queued.pop_front()?);
        self.tell_popped(&deltas, initial);
        self.intake.came_out(&mut inside, 1);
        Some(deltas)
    }

    /// Waits for a delta and calls `process` with it alone. `process` must not use the queue, unless writers may go on
    /// while it runs.
    ///
    /// Dropping the future before it is ready loses nothing.
    ///
    /// # Errors
    /// The queue is closed and empty.
    pub async fn pop<R>(&self, process: impl FnOnce(Deltas<T>, InitialList) -> R) -> Result<R, Closed> {
        self.take(|_| 1, process).await
    }

    /// Waits for deltas and has up to 1,000 of them processed: one by `process`, more by `process_batch`.
    ///
    /// The keys of a batch differ, the first list shares no batch with what came later, and a delta of many objects is
    /// alone.
    ///
    /// # Errors
    /// The outer one: the queue is closed and empty. The inner one is that of `process`.
    pub async fn pop_batch(
        &self,
        process: &mut (impl ProcessDeltas<T> + ?Sized),
    ) -> Result<Result<(), BoxError>, Closed> {
        let number = |inside: &Inside<T>| self.batch(inside);
        let result = self.take(number, |deltas, initial| match deltas.len() {
            1 => process.process(deltas, initial),
            _ => process.process_batch(deltas.into_vec(), initial),
        });
        result.await
    }

    /// How many deltas from the front make the next batch; there is one at least.
    fn batch(&self, inside: &Inside<T>) -> usize {
        let initial = inside.initial();
        let most = if initial > 0 { initial.min(BATCH) } else { BATCH };
        let most = most.min(inside.queued.len());
        if most == 1 {
            return 1; // the usual case: no key to compare it with
        }
        let mut keys = HashSet::with_hasher(RandomState::default());
        for (number, delta) in inside.queued.iter().take(most).enumerate() {
            match self.delta_key(delta) {
                None => return number.max(1),
                Some(Ok(key)) => {
                    if !keys.insert(key) {
                        return number;
                    }
                }
                Some(Err(_)) => return number + 1,
            }
        }
        most
    }

    /// The key of a delta of one object.
    fn delta_key(&self, delta: &Delta<T>) -> Option<Result<String, KeyError>> {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                Some(self.key_of(object))
            }
            Delta::Deleted(deletion) => Some(self.intake.deletion_key(deletion)),
            Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => None,
        }
    }

    async fn pop_next(&self, process: &mut dyn ProcessDeltas<T>) -> Result<Result<(), BoxError>, Closed> {
        match self.batches {
            Batches::No => self.pop(|deltas, initial| process.process(deltas, initial)).await,
            Batches::Yes => self.pop_batch(process).await,
        }
    }

    /// Waits for deltas, takes so many out, has them processed, and counts them as processed only then.
    async fn take<R>(
        &self,
        number: impl Fn(&Inside<T>) -> usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> Result<R, Closed> {
        let next = self.intake.next(VecDeque::is_empty, |inside| {
            let number = number(&inside);
            self.process(inside, number, process)
        });
        next.await
    }

    fn process<R>(
        &self,
        mut inside: MutexGuard<'_, Inside<T>>,
        number: usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> R {
        let initial = inside.initial_list();
        let unlock = self.unlocks(&inside);
        let deltas = Deltas::all(inside.queued.drain(..number));
        self.tell_popped(&deltas, initial);
        let (result, mut inside) = if unlock {
            drop(inside);
            (process(deltas, initial), self.intake.lock())
        } else {
            (process(deltas, initial), inside)
        };
        self.intake.came_out(&mut inside, number);
        result
    }

    fn tell_popped(&self, deltas: &Deltas<T>, initial: InitialList) {
        self.intake.observer.tell::<T>(|| Event::Popped {
            queue: QueueName::RealFifo,
            key: None,
            deltas: deltas.iter().map(Delta::kind).collect(),
            initial: initial == InitialList::Yes,
        });
    }

    fn unlocks(&self, inside: &Inside<T>) -> bool {
        matches!(self.lists, Lists::Atomic { lock: WhileProcessing::Unlocked, .. }) && inside.queued.len() < 2 * BATCH
    }

    /// Appends a delta; one of many objects has no key.
    fn push(&self, inside: &mut Inside<T>, delta: Delta<T>, key: Option<&str>) {
        self.intake.observer.tell::<T>(|| Event::Queued {
            queue: QueueName::RealFifo,
            delta: delta.kind(),
            key: key.map(str::to_owned),
            tombstone: delta.is_tombstone(),
            known_objects: matches!(self.lists, Lists::Reconciled(_)),
        });
        inside.queued.push_back(delta);
        inside.news = true;
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

    /// Queues a `Deleted`, also of a key that nobody knows.
    ///
    /// # Errors
    /// As [`RealFifo::add`].
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        match deletion.into() {
            Deletion::Final(object) => self.write(object, |object| Delta::Deleted(Deletion::Final(object))),
            Deletion::FinalStateUnknown { key, last_known } => {
                self.intake.change(|inside| {
                    self.intake.populate(inside);
                    let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
                    self.push(inside, Delta::Deleted(tombstone), Some(&key));
                });
                Ok(())
            }
        }
    }

    fn write(&self, object: Arc<T>, delta: impl FnOnce(Arc<T>) -> Delta<T>) -> Result<(), Error> {
        self.intake.change(|inside| {
            self.intake.populate(inside);
            let key = self.intake.key_to_tell(&object)?;
            let object = self.intake.transform(object)?;
            self.push(inside, delta(object), key.as_deref());
            Ok(())
        })
    }
}

impl<T> fmt::Debug for RealFifo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.intake.lock().queued.iter().map(Delta::kind).collect();
        f.debug_tuple("RealFifo").field(&kinds).finish()
    }
}

over_intake!(RealFifo);
