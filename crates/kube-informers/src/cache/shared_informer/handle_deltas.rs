//! HandleDeltas: the consumer of a shared informer's queue, which updates the store and notifies the listeners. Upstream:
//! `HandleDeltas` in `tools/cache/shared_informer.go`.

use std::sync::Arc;

use super::Shared;
use crate::blocking::spawn_blocking;
use crate::cache::controller::{TakeOver, process_deltas, process_deltas_in_batch};
use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Error};
use crate::cache::fifo::ProcessDeltas;
use crate::cache::key::Object;
use crate::cache::processor::{Audience, Notification};
use crate::cache::store::Indexer;
use crate::lock::lock;

/// The number of objects that are prepared or distributed before other tasks may run.
const AT_ONCE: usize = 1000;

/// The consumer of the queue. It applies deltas to the store, then distributes the notifications. No handler can join in
/// between, because it would miss or repeat changes.
///
/// A list is stored in one step, so readers see either none or all of it. A long list is prepared in parts, and its
/// notifications are distributed in parts. They go to the listeners that existed when the list was stored: a listener
/// that joins later gets the content of the store, which already has the whole list.
pub(super) struct HandleDeltas<T> {
    shared: Arc<Shared<T>>,
    /// The notifications of the current step; empty between two steps.
    changes: Vec<Notification<T>>,
    left: Left<T>,
}

/// The unfinished work of a long delta.
enum Left<T> {
    Nothing,
    TakeOver(Box<TakeOver<T>>),
    Tell(Changes<T>, Audience<T>),
}

type Changes<T> = Box<dyn Iterator<Item = Notification<T>> + Send>;

impl<T: Object + Send + Sync + 'static> HandleDeltas<T> {
    pub fn new(shared: Arc<Shared<T>>) -> Self {
        Self { shared, changes: Vec::new(), left: Left::Nothing }
    }

    /// Applies changes to the store by `store`, and distributes their notifications.
    fn step(
        &mut self,
        store: impl FnOnce(&Indexer<T>, &mut dyn FnMut(Notification<T>)) -> Result<(), Error>,
    ) -> Result<(), BoxError> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        let _blocked = lock(block_deltas);
        let stored = store(indexer, &mut |change| self.changes.push(change));
        processor.distribute_all(self.changes.drain(..));
        Ok(stored?)
    }

    /// Returns true if the delta concerns so many objects that it must be handled in parts.
    fn is_long(&self, delta: &Delta<T>) -> bool {
        let stored = || self.shared.indexer.list().len();
        match delta {
            Delta::ReplacedAll { objects, .. } => objects.len().max(stored()) > AT_ONCE,
            Delta::SyncAll => stored() > AT_ONCE,
            _ => false,
        }
    }

    fn begin(&self, delta: Delta<T>, initial: InitialList) -> Left<T> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        match delta {
            Delta::ReplacedAll { objects, resource_version } => {
                Left::TakeOver(Box::new(TakeOver::new(indexer, objects, resource_version, initial)))
            }
            Delta::SyncAll => {
                let _blocked = lock(block_deltas);
                let once_more = |object: Arc<T>| Notification::Update { old: object.clone(), new: object };
                Left::Tell(Box::new(indexer.content.walk().map(once_more)), processor.audience())
            }
            _ => Left::Nothing,
        }
    }

    fn store(&self, list: TakeOver<T>) -> Left<T> {
        let Shared { block_deltas, indexer, processor, .. } = &*self.shared;
        let blocked = lock(block_deltas);
        let (changes, replaced) = list.finish(indexer);
        let left = Left::Tell(Box::new(changes), processor.audience());
        drop(blocked);
        spawn_blocking(|| drop(replaced)); // freeing the old content may take as long as building it took
        left
    }
}

/// Closes the store, because nothing writes it any more.
impl<T> Drop for HandleDeltas<T> {
    fn drop(&mut self) {
        self.shared.indexer.close();
    }
}

impl<T: Object + Send + Sync + 'static> ProcessDeltas<T> for HandleDeltas<T> {
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        if self.is_long(deltas.oldest()) {
            self.left = self.begin(deltas.into_oldest(), initial); // a long delta is always popped alone
            return Ok(());
        }
        self.step(|store, sink| process_deltas(store, deltas, initial, sink))
    }

    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        self.step(|store, sink| process_deltas_in_batch(store, batch, initial, sink))
    }

    fn go_on(&mut self) -> Result<bool, BoxError> {
        self.left = match std::mem::replace(&mut self.left, Left::Nothing) {
            Left::Nothing => return Ok(false),
            Left::TakeOver(mut list) => match list.prepare(&self.shared.indexer, AT_ONCE)? {
                true => Left::TakeOver(list),
                false => self.store(*list),
            },
            Left::Tell(mut changes, audience) => {
                let told = changes.by_ref().take(AT_ONCE).map(|change| audience.tell(&change)).count();
                if told < AT_ONCE { Left::Nothing } else { Left::Tell(changes, audience) }
            }
        };
        Ok(true)
    }
}
