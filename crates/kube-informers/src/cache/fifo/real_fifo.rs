//! RealFIFO: every change in the order it came, none merged, none dropped. Upstream: `tools/cache/the_real_fifo.go`.

mod batch;
mod reconcile;
mod write;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use super::intake::{self, Intake};
use super::queue::Queue;
use crate::cache::controller::ProcessDeltas;
use crate::cache::delta::{Deletion, Delta, Deltas, InitialList};
use crate::cache::done::Done;
use crate::cache::error::{BoxError, Closed, Error};
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

    /// Changes every object once before it is queued. Tombstones and resynced objects are left alone.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.intake.set_transformer(transform);
        self
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.intake.observer = observer;
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

    /// Is nothing queued?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Has the first list, if there was one, been processed in full?
    pub fn has_synced(&self) -> bool {
        self.intake.lock().has_synced()
    }

    /// Fires when [`RealFifo::has_synced`] becomes true, after the last of the first list was processed.
    pub fn synced(&self) -> Done {
        self.intake.synced()
    }

    /// Lets every waiting and later pop end with [`Closed`] once the queue is empty. Writes still succeed.
    pub fn close(&self) {
        self.intake.close();
    }

    /// Was the queue closed?
    pub fn is_closed(&self) -> bool {
        self.intake.is_closed()
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

impl<T> fmt::Debug for RealFifo<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<_> = self.intake.lock().queued.iter().map(Delta::kind).collect();
        f.debug_tuple("RealFifo").field(&kinds).finish()
    }
}

impl<T: Send + Sync> ReflectorStore<T> for RealFifo<T> {
    fn add(&self, object: Arc<T>) -> Result<(), Error> {
        Self::add(self, object)
    }

    fn update(&self, object: Arc<T>) -> Result<(), Error> {
        Self::update(self, object)
    }

    fn delete(&self, deletion: Deletion<T>) -> Result<(), Error> {
        Self::delete(self, deletion)
    }

    fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        Self::replace(self, objects, resource_version)
    }

    fn resync(&self) -> Result<(), Error> {
        Self::resync(self)
    }

    fn bookmark(&self, resource_version: &str) -> Result<(), Error> {
        Self::bookmark(self, resource_version);
        Ok(())
    }

    fn transformer(&self) -> Option<Transformer<T>> {
        self.intake.transformer.clone()
    }
}

impl<T: Send + Sync> Queue<T> for RealFifo<T> {
    fn pop_with<'a>(
        &'a self,
        process: &'a mut dyn ProcessDeltas<T>,
    ) -> BoxFuture<'a, Result<Result<(), BoxError>, Closed>> {
        match self.batches {
            Batches::No => self.pop(|deltas, initial| process.process(deltas, initial)).boxed(),
            Batches::Yes => self.pop_batch(process).boxed(),
        }
    }

    fn has_synced(&self) -> bool {
        Self::has_synced(self)
    }

    fn synced(&self) -> Done {
        Self::synced(self)
    }

    fn close(&self) {
        Self::close(self);
    }
}
