//! DeltaFIFO: one queue slot per key, every change kept in order. Upstream: `tools/cache/delta_fifo.go`.

mod items;
mod relist;

use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};

use super::delta::{Deletion, Delta, Deltas, InitialList};
use super::done::{Done, Firing};
use super::error::{BoxError, Closed, Error, KeyError};
use super::key::{IntoKey, KeyFn};
use super::lock::{Mutex, lock};
use super::look::{Waiters, look_until};
use super::observe::{Event, Observer};
use super::process::ProcessDeltas;
use super::queue::Queue;
use super::store::{KnownObjects, ReflectorStore, Transformer};
use items::Items;

/// A queue of keys in first-in order, each with everything that happened to it since it was last popped.
///
/// A consumer that is slow sees every change of an object, but in one pop. Without known objects a deletion of a key that
/// is not queued is dropped, since the queue cannot tell it from one that was reported before.
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
    key: KeyFn<T>,
    known: Option<Arc<dyn KnownObjects<T>>>,
    relisted: Relisted,
    transformer: Option<Transformer<T>>,
    observer: Observer,
    state: Mutex<State<T>>,
    synced: Firing,
}

/// How the objects of a list are queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relisted {
    /// As `Sync`, like a resync: what `NewDeltaFIFO` does, and the documents' programs expect.
    #[default]
    Sync,
    /// As `Replaced`, so that a list can be told from a resync (client-go's `EmitDeltaTypeReplaced`).
    Replaced,
}

struct State<T> {
    items: Items<T>,
    /// Has anything been added, updated, deleted or replaced?
    populated: bool,
    /// How many keys of the first list have not been popped.
    initial: usize,
    /// Was it told that the first list has been popped in full?
    synced: bool,
    closed: bool,
    /// Who waits for an item.
    waiters: Waiters,
}

impl<T> DeltaFifo<T> {
    /// An empty queue without known objects.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        let state = State {
            items: Items::default(),
            populated: false,
            initial: 0,
            synced: false,
            closed: false,
            waiters: Waiters::default(),
        };
        Self {
            key: KeyFn::new(key),
            known: None,
            relisted: Relisted::default(),
            transformer: None,
            observer: Observer::default(),
            state: Mutex::new(state),
            synced: Firing::new(),
        }
    }

    /// The consumer's objects: with them a deletion of an object that is not queued is told, a list reports the objects
    /// that vanished, and a resync has something to repeat.
    #[must_use]
    pub fn known_objects(mut self, known: Arc<dyn KnownObjects<T>>) -> Self {
        self.known = Some(known);
        self
    }

    /// How the objects of a list are queued.
    #[must_use]
    pub fn relisted(mut self, relisted: Relisted) -> Self {
        self.relisted = relisted;
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

    /// The number of queued keys.
    pub fn len(&self) -> usize {
        lock(&self.state).items.len()
    }

    /// Is nothing queued?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest state of every queued object, in queue order; of a tombstone its last known state, if any.
    pub fn list(&self) -> Vec<Arc<T>> {
        let state = lock(&self.state);
        state.items.iter().filter_map(|(_, deltas)| deltas.newest().object().cloned()).collect()
    }

    /// The queued keys, in queue order.
    pub fn list_keys(&self) -> Vec<String> {
        lock(&self.state).items.iter().map(|(key, _)| key.clone()).collect()
    }

    /// What is queued under this key.
    pub fn get_by_key(&self, key: &str) -> Option<Deltas<T>> {
        lock(&self.state).items.get(key).cloned()
    }

    /// Has the first list, if there was one, been popped in full?
    pub fn has_synced(&self) -> bool {
        let state = lock(&self.state);
        state.populated && state.initial == 0
    }

    /// Fires when [`DeltaFifo::has_synced`] becomes true, before the last of the first list is processed.
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

    /// Takes the deltas of the first key, if there are any.
    pub fn try_pop(&self) -> Option<Deltas<T>> {
        let (deltas, _) = self.take(&mut lock(&self.state))?;
        Some(deltas)
    }

    /// Waits for a key and calls `process` with its deltas, under the queue's lock: writers wait, so that between the pop
    /// and what `process` does to the known objects nobody decides by either. `process` must not use the queue.
    ///
    /// Dropping the future before it is ready loses nothing.
    ///
    /// # Errors
    /// The queue is closed and empty.
    pub async fn pop<R>(&self, process: impl FnOnce(Deltas<T>, InitialList) -> R) -> Result<R, Closed> {
        let mut process = Some(process);
        look_until(
            &self.state,
            |state| &mut state.waiters,
            |mut state| match self.take(&mut state) {
                Some((deltas, initial)) => {
                    let process = process.take().expect("what is found ends the looking");
                    let result = process(deltas, initial);
                    drop(state); // not before
                    Ok(Ok(result))
                }
                None if state.closed => Ok(Err(Closed)),
                None => Err(state),
            },
        )
        .await
    }

    fn take(&self, state: &mut State<T>) -> Option<(Deltas<T>, InitialList)> {
        let (key, deltas) = state.items.pop()?;
        let initial = InitialList::from(!(state.populated && state.initial == 0));
        state.initial = state.initial.saturating_sub(1);
        self.note_sync(state);
        self.observer.tell(|| Event::Popped {
            key,
            deltas: deltas.iter().map(Delta::kind).collect(),
            initial: initial == InitialList::Yes,
        });
        Some((deltas, initial))
    }

    fn note_sync(&self, state: &mut State<T>) {
        if state.populated && state.initial == 0 && !state.synced {
            state.synced = true;
            self.synced.fire();
            self.observer.tell(|| Event::Synced);
        }
    }

    fn populate(&self, state: &mut State<T>) {
        state.populated = true;
        self.note_sync(state);
    }
}

impl<T> DeltaFifo<T> {
    /// Queues an `Added`.
    ///
    /// # Errors
    /// The key function or the transformer failed; nothing was queued.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        let mut state = lock(&self.state);
        self.populate(&mut state);
        self.queue(&mut state, Delta::Added, object.into())
    }

    /// Queues an `Updated`, also of a key that was never added.
    ///
    /// # Errors
    /// As [`DeltaFifo::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        let mut state = lock(&self.state);
        self.populate(&mut state);
        self.queue(&mut state, Delta::Updated, object.into())
    }

    /// Queues a `Deleted`, unless the key is neither queued nor known: then the deletion was reported before, and is
    /// dropped.
    ///
    /// # Errors
    /// As [`DeltaFifo::add`].
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        let deletion = deletion.into();
        let key = self.deletion_key(&deletion)?;
        let mut state = lock(&self.state);
        self.populate(&mut state);
        let known = self.known.as_ref().is_some_and(|known| !matches!(known.get_by_key(&key), Ok(None)));
        if !known && !state.items.contains(&key) {
            self.observer.tell(|| Event::Dropped { key });
            return Ok(());
        }
        let deletion = match deletion {
            Deletion::Final(object) => Deletion::Final(self.transform(object)?),
            tombstone => tombstone,
        };
        self.push(&mut state, key, Delta::Deleted(deletion));
        Ok(())
    }

    /// The key of an object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// The key of a deletion: a tombstone's own, else that of the object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn deletion_key(&self, deletion: &Deletion<T>) -> Result<String, KeyError> {
        match deletion {
            Deletion::Final(object) => self.key_of(object),
            Deletion::FinalStateUnknown { key, .. } => Ok(key.clone()),
        }
    }

    /// Queues a change under the key that the object had before the transformer.
    fn queue(&self, state: &mut State<T>, delta: fn(Arc<T>) -> Delta<T>, object: Arc<T>) -> Result<(), Error> {
        let key = self.key_of(&object)?;
        let object = self.transform(object)?;
        self.push(state, key, delta(object));
        Ok(())
    }

    fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        match &self.transformer {
            Some(transform) => transform(object).map_err(Error::Transform),
            None => Ok(object),
        }
    }

    fn push(&self, state: &mut State<T>, key: String, delta: Delta<T>) {
        self.observer.tell(|| Event::Queued { delta: delta.kind(), key: key.clone() });
        if let Some(key) = state.items.push(key, delta) {
            self.observer.tell(|| Event::Merged { key: key.to_owned() });
        }
        state.waiters.wake();
    }
}

impl<T: Send + Sync> ReflectorStore<T> for DeltaFifo<T> {
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

    fn transformer(&self) -> Option<Transformer<T>> {
        self.transformer.clone()
    }
}

impl<T: Send + Sync> Queue<T> for DeltaFifo<T> {
    fn pop_with<'a>(
        &'a self,
        process: &'a mut dyn ProcessDeltas<T>,
    ) -> BoxFuture<'a, Result<Result<(), BoxError>, Closed>> {
        self.pop(|deltas, initial| process.process(deltas, initial)).boxed()
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
