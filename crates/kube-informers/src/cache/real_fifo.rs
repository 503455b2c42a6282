//! RealFIFO: every change in the order it came, none merged, none dropped. Upstream: `tools/cache/the_real_fifo.go`.

mod batch;
mod reconcile;
mod write;

use std::collections::VecDeque;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use super::delta::{Deletion, Delta, Deltas, InitialList};
use super::done::{Done, Firing};
use super::error::{BoxError, Closed, Error};
use super::key::{IntoKey, KeyFn};
use super::lock::{Mutex, MutexGuard, lock};
use super::look::{Waiters, look_until};
use super::observe::{Event, Observer};
use super::process::ProcessDeltas;
use super::queue::Queue;
use super::store::{KnownObjects, ReflectorStore, Transformer};

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
    key: KeyFn<T>,
    lists: Lists<T>,
    batches: Batches,
    transformer: Option<Transformer<T>>,
    observer: Observer,
    state: Mutex<State<T>>,
    synced: Firing,
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
pub enum WhileProcessing {
    /// They wait.
    #[default]
    Locked,
    /// They go on, as long as fewer than 2,000 deltas are queued; then they wait, which bounds the queue.
    Unlocked,
}

/// How a consumer is given what is queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Batches {
    /// One delta after the other.
    No,
    /// Up to 1,000 deltas of different keys at once.
    #[default]
    Yes,
}

struct State<T> {
    queue: VecDeque<Delta<T>>,
    /// Has anything been added, updated, deleted or replaced?
    populated: bool,
    /// How many deltas of the first list have not been processed.
    initial: usize,
    /// Was it told that the first list has been processed in full?
    synced: bool,
    closed: bool,
    /// Who waits for a delta.
    waiters: Waiters,
}

impl<T> RealFifo<T> {
    /// An empty queue that compares each list with the known objects.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static, known: Arc<dyn KnownObjects<T>>) -> Self {
        Self::with(KeyFn::new(key), Lists::Reconciled(known))
    }

    /// An empty queue that hands a list and a resync to the consumer as one delta each. Writers wait while a delta is
    /// processed, and bookmarks are left out; see [`RealFifo::while_processing`] and [`RealFifo::bookmarks`].
    pub fn atomic<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self::with(KeyFn::new(key), Lists::Atomic { bookmarks: false, lock: WhileProcessing::Locked })
    }

    fn with(key: KeyFn<T>, lists: Lists<T>) -> Self {
        let state = State {
            queue: VecDeque::new(),
            populated: false,
            initial: 0,
            synced: false,
            closed: false,
            waiters: Waiters::default(),
        };
        Self {
            key,
            lists,
            batches: Batches::default(),
            transformer: None,
            observer: Observer::default(),
            state: Mutex::new(state),
            synced: Firing::new(),
        }
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
        self.transformer = Some(Arc::new(transform));
        self
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// The number of queued deltas.
    pub fn len(&self) -> usize {
        lock(&self.state).queue.len()
    }

    /// What is queued, in the order in which it will be popped. (client-go's RealFIFO cannot be listed.)
    pub fn list(&self) -> Vec<Delta<T>> {
        lock(&self.state).queue.iter().cloned().collect()
    }

    /// Is nothing queued?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Has the first list, if there was one, been processed in full?
    pub fn has_synced(&self) -> bool {
        let state = lock(&self.state);
        state.populated && state.initial == 0
    }

    /// Fires when [`RealFifo::has_synced`] becomes true, after the last of the first list was processed.
    pub fn synced(&self) -> Done {
        self.synced.done()
    }

    /// Lets every waiting and later pop end with [`Closed`] once the queue is empty. Writes still succeed.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.waiters.wake();
    }

    /// Was the queue closed?
    pub fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Takes the first delta, if there is one.
    pub fn try_pop(&self) -> Option<Deltas<T>> {
        let mut state = lock(&self.state);
        let delta = state.queue.pop_front()?;
        self.processed(&mut state, 1);
        Some(Deltas::one(delta))
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
        number: impl Fn(&State<T>) -> usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> Result<R, Closed> {
        let mut process = Some(process);
        look_until(
            &self.state,
            |state| &mut state.waiters,
            |state| {
                if state.queue.is_empty() {
                    return if state.closed { Ok(Err(Closed)) } else { Err(state) };
                }
                let process = process.take().expect("what is found ends the looking");
                let number = number(&state);
                Ok(Ok(self.process(state, number, process)))
            },
        )
        .await
    }

    fn process<R>(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        number: usize,
        process: impl FnOnce(Deltas<T>, InitialList) -> R,
    ) -> R {
        let initial = InitialList::from(!(state.populated && state.initial == 0));
        let unlock = self.unlocks(&state);
        let deltas = Deltas::all(state.queue.drain(..number));
        self.observer.tell(|| Event::Popped {
            key: String::new(),
            deltas: deltas.iter().map(Delta::kind).collect(),
            initial: initial == InitialList::Yes,
        });
        let (result, mut state) = if unlock {
            drop(state);
            (process(deltas, initial), lock(&self.state))
        } else {
            (process(deltas, initial), state)
        };
        self.processed(&mut state, number);
        result
    }

    fn unlocks(&self, state: &MutexGuard<'_, State<T>>) -> bool {
        matches!(self.lists, Lists::Atomic { lock: WhileProcessing::Unlocked, .. }) && state.queue.len() < 2 * BATCH
    }

    fn processed(&self, state: &mut State<T>, number: usize) {
        state.initial = state.initial.saturating_sub(number);
        self.note_sync(state);
    }

    fn note_sync(&self, state: &mut State<T>) {
        if state.populated && state.initial == 0 && !state.synced {
            state.synced = true;
            self.synced.fire();
            self.observer.tell(|| Event::Synced);
        }
    }

    fn push(&self, state: &mut State<T>, delta: Delta<T>, key: &str) {
        self.observer.tell(|| Event::Queued { delta: delta.kind(), key: key.to_owned() });
        state.queue.push_back(delta);
        state.waiters.wake();
    }

    fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        match &self.transformer {
            Some(transform) => transform(object).map_err(Error::Transform),
            None => Ok(object),
        }
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
        self.transformer.clone()
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
